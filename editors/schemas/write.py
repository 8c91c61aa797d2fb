"""Writes the JSON Schemas beside this file, and the catalog that says which files each is for: `python3 dev.py schemas`.

    python write.py [FOLDER]

They are what `rulewright schema NAME` prints, for editors that know schemas and no language server. A test fails when they are stale.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from rulewright import schemas

# As `detect` in engine/rulewright/formats/*/__init__.py, as far as names go. Foya's rules are Markdown with a header, which
# no catalog can name: their schema is for tools that take the header out.
FILES = {
    "style": [
        "*.style.yaml",
        "*.style.yml",
        "style.yaml",
        "**/.style/**/*.yaml",
        "**/.style/**/*.yml",
        # The lock that `rulewright install` writes there is no package. Spelled out, because to `**` a folder with a dot is hidden.
        "!**/.style/style.lock.yaml",
    ],
    "foya": [],
    "hook-chains": ["hook-chains.json", "*.hook-chains.json"],
    "config": ["rulewright.toml"],
}
# The form of a catalog (json.schemastore.org/schema-catalog.json): Taplo, VS Code's YAML extension and others read it.
CATALOG = "https://json.schemastore.org/schema-catalog.json"


def contents() -> dict[str, str]:
    """Return the text of each file by its name."""
    found: dict[str, str] = {}
    entries = []
    for name in schemas.names():
        schema = schemas.schema_of(name)
        found[f"{name}.json"] = _text(schema)
        entry = {"name": f"rulewright {name}", "description": schema["title"], "url": schema["$id"]}
        entries.append(entry | ({"fileMatch": FILES[name]} if FILES[name] else {}))
    found["catalog.json"] = _text({"$schema": CATALOG, "version": 1, "schemas": entries})
    return found


def _text(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def main() -> None:
    """Write all files."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in contents().items():
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
