"""What rule files become once they are read: each format its own content, all of it values with their places.

The model knows no text syntax and no check.
"""

from __future__ import annotations

from rulewright.model.chains import ChainAction, ChainCondition, ChainFile, ChainRule
from rulewright.model.document import Content, Document
from rulewright.model.foya import FoyaFile, FoyaRule, FoyaScope, ProgramRule
from rulewright.model.style import Condition, Package, Rule, When
from rulewright.model.values import BAD, Origin, Value

__all__ = [
    "BAD",
    "ChainAction",
    "ChainCondition",
    "ChainFile",
    "ChainRule",
    "Condition",
    "Content",
    "Document",
    "FoyaFile",
    "FoyaRule",
    "FoyaScope",
    "Origin",
    "Package",
    "ProgramRule",
    "Rule",
    "Value",
    "When",
]
