"""Rulewright: language server and hook engine for agent rule files. Runs at every hook event: nothing but the version here."""

__version__ = "0.1.0"
