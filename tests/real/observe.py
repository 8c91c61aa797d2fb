"""Stands in front of an installed hook command: keeps the payload, what `rulewright explain` says of it, and the answer.

    python observe.py FOLDER NATIVE_EVENT ENGINE STATE HARNESS COMMAND

The explanation is made before the command runs, as the state is then.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    """Explain the event on stdin, then let the command answer it."""
    folder, native, engine, state, harness, command = sys.argv[1:]
    began = time.time_ns()
    payload = sys.stdin.buffer.read()
    Path(folder).mkdir(exist_ok=True)
    project = os.environ.get("CLAUDE_PROJECT_DIR") or json.loads(payload).get("cwd") or "."
    explained = subprocess.run(
        [sys.executable, "-m", "rulewright", "explain", "--harness", harness, "--payload", "-", "--json"],
        input=payload,
        capture_output=True,
        cwd=project,
        env={**os.environ, "RULEWRIGHT_HOME": state, "PYTHONPATH": engine},
        check=False,
    )
    answered = subprocess.run(["sh", "-c", command], input=payload, capture_output=True, check=False)
    record = {
        "event": native,
        "payload": json.loads(payload),
        "explained": json.loads(explained.stdout or b"null"),
        "trouble": explained.stderr.decode(),
        "stdout": answered.stdout.decode(),
        "stderr": answered.stderr.decode(),
        "exit": answered.returncode,
    }
    (Path(folder) / f"{began}-{native}-{os.getpid()}.json").write_text(json.dumps(record), "utf-8")
    sys.stdout.buffer.write(answered.stdout)
    sys.stderr.buffer.write(answered.stderr)
    return answered.returncode


if __name__ == "__main__":
    sys.exit(main())
