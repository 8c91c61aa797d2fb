"""The event-time part of the engine: what runs inside a harness's hook process.

Every millisecond here is paid at every tool call. So a module of this package imports only other modules of this package
and, at the top, `sys`, `os`, `time`, `errno` and `marshal`; `json` and `re` only inside the function that needs them. It
has no dataclasses, no typing at run time, no package metadata, no text for users beyond the little that the answer needs.
It never reads rule files: it reads the compiled index.
"""
