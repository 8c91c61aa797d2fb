"""Telemetry of hook chains as OpenTelemetry log records."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from rulewright import telemetry_otel

sdk = pytest.importorskip("opentelemetry.sdk._logs.export")

LINES = [
    {"time": 1_700_000_000_123, "event": "chain_rule_matched", "rule_id": "r", "chain_depth": 1, "outcome": "failed"},
    {
        "time": 1_700_000_000_124,
        "event": "chain_action_failed",
        "action_id": None,
        "reason_category": "context_missing",
    },
]


@pytest.mark.ledger("H100", "H101")
def test_records() -> None:
    memory = sdk.InMemoryLogRecordExporter()
    texts = [*(json.dumps(line) for line in LINES), "", "no JSON", "[]"]
    assert telemetry_otel.export(texts, memory) == 2
    first, second = (found.log_record for found in memory.get_finished_logs())
    assert (first.event_name, first.body, first.timestamp) == (
        "chain_rule_matched",
        "chain_rule_matched",
        1_700_000_000_123_000_000,
    )
    assert dict(first.attributes) == {"rule_id": "r", "chain_depth": 1, "outcome": "failed"}
    assert (first.severity_text, second.severity_text) == ("INFO", "WARN")
    assert dict(second.attributes) == {"reason_category": "context_missing"}
    resource = memory.get_finished_logs()[0].resource.attributes
    assert resource["service.name"] == "rulewright"


@pytest.mark.parametrize("endpoint", ["http://h:1", "http://h:1/", "http://h:1/v1/logs"])
def test_the_address(endpoint: str) -> None:
    exporter = telemetry_otel.otlp_exporter(endpoint)
    assert exporter._endpoint == "http://h:1/v1/logs"  # type: ignore[attr-defined]
    exporter.shutdown()


def test_the_extra_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lines"
    path.write_text("{}")
    monkeypatch.setattr(telemetry_otel, "installed", lambda: False)
    monkeypatch.setattr(sys, "argv", ["x", "http://h:1", str(path)])
    with pytest.raises(SystemExit, match="rulewright\\[otel\\]"):
        telemetry_otel.main()
    assert not path.exists()
    with pytest.raises(SystemExit, match="No such file"):
        telemetry_otel.main()
