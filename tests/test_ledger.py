"""The ledger: marks name statements that exist, and the report fails when one that is required has no test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support import ledger


def test_every_marked_id_is_a_statement() -> None:
    ids = {statement.id for statement in ledger.statements()}
    strangers = [f"{proof.path}:{proof.line}: {proof.id}" for proof in ledger.proofs() if proof.id not in ids]
    assert not strangers


def test_the_table_is_whole() -> None:
    table = ledger.statements()
    ids = [statement.id for statement in table]
    assert len(ids) == len(set(ids)) > 100
    assert all(statement.part and statement.text for statement in table)


def test_marks_are_found_in_python_and_in_case_files(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text(
        'import pytest\n@pytest.mark.ledger("S001", "S010")\ndef test_a(): ...\n'
        'class TestB:\n    pytestmark = pytest.mark.ledger("S011")\n# pytest.mark.ledger("S012")\n',
        encoding="utf-8",
    )
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "a.md").write_text(
        "## One\nledger: S023, S034\n\n```yaml style\nledger: S035\n```\n ledger: S040\nthe ledger: S041\n",
        encoding="utf-8",
    )
    assert {proof.id for proof in ledger.proofs(tmp_path)} == {"S001", "S010", "S011", "S023", "S034", "S040"}


def test_an_unknown_id_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_x.py").write_text('import pytest\npytestmark = pytest.mark.ledger("S999")\n', encoding="utf-8")
    monkeypatch.setattr(ledger.proofs, "__defaults__", (tmp_path,))
    assert ledger.main([]) == 1
    assert "S999 is no statement" in capsys.readouterr().err


def test_require(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "test_x.py").write_text('import pytest\npytestmark = pytest.mark.ledger("S001")\n', encoding="utf-8")
    monkeypatch.setattr(ledger.proofs, "__defaults__", (tmp_path,))
    assert ledger.main(["--require", "S001"]) == 0
    assert ledger.main(["--require", "S001,S010"]) == 1
    assert "S010 has no test" in capsys.readouterr().err
    assert ledger.main(["--require", "S998"]) == 1


def test_dev_py_is_standard_library_only_and_runs_without_a_venv() -> None:
    """What `dev.py` imports must be there before anything is installed."""
    import ast
    import sys

    source = (Path(__file__).parent.parent / "dev.py").read_text(encoding="utf-8")
    names = {
        alias.name.split(".")[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in ([ast.alias(node.module or "")] if isinstance(node, ast.ImportFrom) else node.names)
    }
    assert names <= set(sys.stdlib_module_names) | {"__future__"}
    assert shutil.which("git")
