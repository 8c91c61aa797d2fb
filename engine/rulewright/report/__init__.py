"""What a check found, written for people and for machines: one module per format, each with `render`.

Pure functions from an `Outcome` to text; nothing here reads files or prints.
"""
