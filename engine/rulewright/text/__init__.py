"""Pure functions on strings: places, edits, spelling, patterns. Imports the standard library only."""
