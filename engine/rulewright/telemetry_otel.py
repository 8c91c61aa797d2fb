"""Sends the telemetry of hook chains to an OpenTelemetry collector, as log records over OTLP/HTTP.

Needs the extra `rulewright[otel]`. Runs as a process of its own, started by whoever dispatches chains: an event waits neither for
the imports nor for the network. The lines come in a file that it removes.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rulewright import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk._logs.export import LogRecordExporter

SERVICE = "rulewright"
LOGS_PATH = "/v1/logs"
"""Where a collector takes logs, below the address that is configured. Source: OTLP specification 1.7, OTLP/HTTP request."""

TIMEOUT = 10
"""Seconds that sending may take."""


def installed() -> bool:
    """Tell whether the extra is there."""
    import importlib.util

    try:
        return all(
            importlib.util.find_spec(name) is not None
            for name in ("opentelemetry.sdk._logs", "opentelemetry.exporter.otlp.proto.http")
        )
    except ModuleNotFoundError:
        return False


def main() -> None:
    """Send the lines of a file: `ENDPOINT FILE`. Leaves with 1 where the extra is missing or the file is not there."""
    endpoint, path = sys.argv[1:3]
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        os.unlink(path)
    except OSError as error:
        raise SystemExit(f"{path}: {error.strerror}") from error
    if not installed():
        raise SystemExit("the extra rulewright[otel] is not installed")
    export(lines, otlp_exporter(endpoint))


def otlp_exporter(endpoint: str) -> LogRecordExporter:
    """Return the exporter for a collector. Headers and certificates come from the `OTEL_EXPORTER_OTLP_...` variables."""
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter

    address = endpoint.rstrip("/")
    return OTLPLogExporter(address if address.endswith(LOGS_PATH) else address + LOGS_PATH, timeout=TIMEOUT)


def export(lines: Iterable[str], exporter: LogRecordExporter) -> int:
    """Send lines of telemetry (`hook.telemetry`) and return how many were records.

    The name of a record is the event's, its time the line's, its attributes everything else. Lines that are no objects are
    left out.
    """
    from opentelemetry._logs import SeverityNumber
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.resources import Resource

    resource = Resource.create({"service.name": SERVICE, "service.version": __version__})
    provider = LoggerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
    logger = provider.get_logger("rulewright.chains", __version__)
    sent = 0
    for line in lines:
        record = _record(line)
        if record is None:
            continue
        name, time_ms = str(record.pop("event", "")), record.pop("time", None)
        failed = name == "chain_action_failed"
        logger.emit(
            timestamp=time_ms * 1_000_000 if isinstance(time_ms, int) else None,
            severity_number=SeverityNumber.WARN if failed else SeverityNumber.INFO,
            severity_text="WARN" if failed else "INFO",
            body=name,
            attributes={key: value for key, value in record.items() if value is not None},
            event_name=name,
        )
        sent += 1
    provider.shutdown()
    return sent


def _record(line: str) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


if __name__ == "__main__":
    main()
