"""Stands in front of an installed hook command: keeps the payload, the state as it was before, and the answer.

python observe.py FOLDER NATIVE_EVENT STATE COMMAND
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    """Keep what is needed to explain the event on stdin afterwards, and let the command answer it."""
    folder, native, state, command = sys.argv[1:]
    kept = Path(folder) / f"{time.time_ns()}-{native}-{os.getpid()}"
    kept.mkdir(parents=True)
    payload = sys.stdin.buffer.read()
    (kept / "payload.json").write_bytes(payload)
    if os.path.isdir(state):
        shutil.copytree(state, kept / "state")
    answered = subprocess.run(["sh", "-c", command], input=payload, capture_output=True, check=False)
    record = {
        "event": native,
        "payload": json.loads(payload),
        "stdout": answered.stdout.decode(),
        "stderr": answered.stderr.decode(),
        "exit": answered.returncode,
    }
    (kept / "record.json").write_text(json.dumps(record), "utf-8")
    sys.stdout.buffer.write(answered.stdout)
    sys.stderr.buffer.write(answered.stderr)
    return answered.returncode


if __name__ == "__main__":
    sys.exit(main())
