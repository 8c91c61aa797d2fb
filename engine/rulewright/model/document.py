"""One rule file, read: its text, the tree, what it holds, and what was wrong while reading."""

from __future__ import annotations

from dataclasses import dataclass, field

from rulewright.model.chains import ChainFile
from rulewright.model.foya import FoyaFile
from rulewright.model.style import Package
from rulewright.syntax.tree import SYNTAX_CODES, Problem, Tree
from rulewright.text.lines import Lines

Content = Package | FoyaFile | ChainFile


@dataclass(slots=True, eq=False)
class Document:
    """One rule file.

    path: as given by the caller, only ever shown or compared, never opened here. content: by its format.
    """

    path: str
    text: str
    lines: Lines
    format: str
    tree: Tree
    content: Content
    problems: list[Problem] = field(default_factory=list)

    @property
    def damaged(self) -> bool:
        """A part of the text could not be read, so that what is missing may only seem so."""
        return any(problem.code in SYNTAX_CODES for problem in self.problems)

    @property
    def package(self) -> Package:
        """The package; an empty one in a file of another format."""
        return self.content if isinstance(self.content, Package) else Package.empty()

    @property
    def foya(self) -> FoyaFile:
        """The Foya rules; none in a file of another format."""
        return self.content if isinstance(self.content, FoyaFile) else FoyaFile.empty()

    @property
    def chains(self) -> ChainFile:
        """The hook chains; none in a file of another format."""
        return self.content if isinstance(self.content, ChainFile) else ChainFile.empty()
