"""Text to tree: readers that give every value its place. Imports `text` only; knows no format and no check."""
