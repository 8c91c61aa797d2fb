"""The engine as the tests call it: texts in, findings by path out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from rulewright import analysis
from rulewright.checking import FileFacts, Finding
from rulewright.model import Document
from rulewright.settings import Settings, parse_settings
from support.cases import Outcome


class TextFiles(dict[str, "str | None"]):
    """Text files by the path that `text_file` writes: every other path is a file that is not there."""

    def __missing__(self, key: str) -> None:
        return None

    def __contains__(self, key: object) -> bool:
        return True


def analyze_workspace(
    files: Sequence[tuple[str, str]], text_files: Mapping[str, str] | None = None, settings: str | None = None
) -> Outcome:
    """Analyse rule files together.

    Args:
        files: path and text of each.
        text_files: what stands beside them, by path; None means that nothing is known of other files.
        settings: the text of rulewright.toml.
    """
    chosen = settings_from(settings)
    documents = {path: read(path, text) for path, text in files}
    others = analysis.workspace_findings(map(analysis.summarize, documents.values()))
    findings: dict[str, list[Finding]] = {}
    analyses: dict[str, Any] = {}
    for path, document in documents.items():
        facts = FileFacts(text_files=facts_for(path, text_files))
        analyses[path] = analysis.analyze(document, chosen, facts, others.get(path, ()))
        findings[path] = list(analyses[path].findings)
    return Outcome(findings, analyses)


def read(path: str, text: str) -> Document:
    """Read one rule file.

    Raises:
        AssertionError: the engine does not take it for one.
    """
    document = analysis.read(path, text)
    assert document is not None, f"{path} is not taken for a rule file"
    return document


def facts_for(path: str, text_files: Mapping[str, str] | None) -> TextFiles | None:
    """Return the text files as a rule file at `path` names them: relative to its folder."""
    if text_files is None:
        return None
    folder = PurePosixPath(path).parent
    out = TextFiles()
    for name, text in text_files.items():
        place = PurePosixPath(name)
        out[str(place.relative_to(folder)) if place.is_relative_to(folder) else name] = text
    return out


def settings_from(text: str | None) -> Settings:
    """Return the settings that a rulewright.toml stands for; the defaults for None."""
    if text is None:
        return Settings()
    return parse_settings(text, ".", "rulewright.toml")
