"""The sub-commands, one file each: `add_arguments(parser, lang)` and `run(args) -> int`. Imported only when called."""
