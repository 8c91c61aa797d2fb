"""The language server of Rulewright: a thin layer over the engine's `ide` functions."""
