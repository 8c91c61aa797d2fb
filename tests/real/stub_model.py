"""A scripted model on loopback that real clients talk to: Anthropic messages and OpenAI responses, streaming or not.

A script is {"turns": [TURN, ...], "side": "text for requests that offer no tools"}.
A TURN is {"say": "text", "tools": [TOOL, ...], "when": "regex", "opening": "regex", "tokens": 1200}.
A TOOL is {"name": "Bash", "input": {...}}, or {"name": "apply_patch", "custom": "*** Begin Patch ..."} for a free-form tool of
the responses API, where a "namespace" may stand beside the name.

A request that offers tools takes the first unused turn whose condition holds, else the next unused one without a condition,
else the text "done". `when` is searched in the whole request, `opening` only in what stands before the model's first answer, so
that the requests of a subagent can be told from those that only mention its task. Requests without tools (titles, summaries)
take a turn with a condition, else the "side" text: they never eat a turn of the conversation. `tokens` is the reported size of
the input, which provokes a compaction.

Every request is saved as NNN.json with the turn that it got. Headers are not saved: they hold the key.
"""

from __future__ import annotations

import json
import re
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Events = list[tuple[str, Json]]


class Model(ThreadingHTTPServer):
    """The server. `server_port` is the port that it got."""

    daemon_threads = True

    def __init__(self, script: Json, log: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.turns: list[Json] = script["turns"]
        self.side: str = script.get("side", "ok")
        self.used: set[int] = set()
        self.log = log
        log.mkdir(parents=True, exist_ok=True)
        self.count = len(list(log.iterdir()))
        self.lock = threading.Lock()

    def turn_for(self, body: Json) -> tuple[int | str, Json]:
        """Return the number and the turn that a request gets."""
        with self.lock:
            conditional = [n for n, turn in enumerate(self.turns) if n not in self.used and _has_condition(turn)]
            for number in conditional:
                if _holds(self.turns[number], body):
                    self.used.add(number)
                    return number, self.turns[number]
            if not _offers_tools(body):
                return "side", {"say": self.side}
            for number, turn in enumerate(self.turns):
                if number not in self.used and not _has_condition(turn):
                    self.used.add(number)
                    return number, turn
        return "end", {"say": "done"}

    def save(self, path: str, turn: int | str | None, body: Any) -> None:
        """Save one request under the next number."""
        with self.lock:
            self.count += 1
            number = self.count
        record = {"at": time.time(), "path": path, "turn": turn, "body": body}
        (self.log / f"{number:03}.json").write_text(json.dumps(record, indent=1, ensure_ascii=False), "utf-8")


def _has_condition(turn: Json) -> bool:
    return "when" in turn or "opening" in turn


def _holds(turn: Json, body: Json) -> bool:
    text = json.dumps(body, ensure_ascii=False)
    opening = json.dumps(opening_of(body), ensure_ascii=False)
    return bool(re.search(turn.get("when", ""), text) and re.search(turn.get("opening", ""), opening))


def opening_of(body: Json) -> list[Any]:
    """Return the items of the conversation before the model's first answer."""
    found: list[Any] = []
    for item in conversation_of(body):
        if item.get("role") == "assistant" or item.get("type") in ("function_call", "custom_tool_call", "reasoning"):
            break
        found.append(item)
    return found


def conversation_of(body: Json) -> list[Any]:
    """Return the items of the conversation, of either protocol."""
    items = body.get("messages", body.get("input"))
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _offers_tools(body: Json) -> bool:
    # Newer models of Codex get their tools as an item of the input.
    return bool(body.get("tools")) or any(item.get("type") == "additional_tools" for item in conversation_of(body))


def _anthropic(turn: Json, body: Json) -> tuple[Json | None, Events]:
    blocks: list[Json] = [{"type": "text", "text": turn["say"]}] if turn.get("say") else []
    for tool in turn.get("tools", []):
        blocks.append({"type": "tool_use", "id": f"toolu_{_id()}", "name": tool["name"], "input": tool["input"]})
    usage = {"input_tokens": turn.get("tokens", 100), "output_tokens": 10}
    message = {
        "id": f"msg_{_id()}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": blocks,
        "stop_sequence": None,
        "stop_reason": "tool_use" if turn.get("tools") else "end_turn",
        "usage": usage,
    }
    if not body.get("stream"):
        return message, []
    events: list[Json] = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}]
    for number, block in enumerate(blocks):
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events.append({"type": "content_block_start", "index": number, "content_block": start})
        events.append({"type": "content_block_delta", "index": number, "delta": delta})
        events.append({"type": "content_block_stop", "index": number})
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events += [{"type": "message_delta", "delta": end, "usage": usage}, {"type": "message_stop"}]
    return None, [(event["type"], event) for event in events]


def _responses(turn: Json, body: Json) -> tuple[Json | None, Events]:
    items: list[Json] = []
    if turn.get("say"):
        content = [{"type": "output_text", "text": turn["say"], "annotations": []}]
        items.append({"type": "message", "role": "assistant", "id": f"msg_{_id()}", "content": content})
    for tool in turn.get("tools", []):
        call = {"call_id": f"call_{_id()}", "name": tool["name"]}
        if "namespace" in tool:
            call["namespace"] = tool["namespace"]
        if "custom" in tool:
            items.append({"type": "custom_tool_call", **call, "input": tool["custom"]})
        else:
            items.append({"type": "function_call", **call, "arguments": json.dumps(tool["input"])})
    tokens = turn.get("tokens", 100)
    usage = {
        "input_tokens": tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens + 10,
    }
    done = {
        "id": f"resp_{_id()}",
        "object": "response",
        "status": "completed",
        "model": body.get("model"),
        "output": items,
        "usage": usage,
    }
    if not body.get("stream"):
        return done, []
    events: list[Json] = [{"type": "response.created", "response": {**done, "status": "in_progress", "output": []}}]
    for number, item in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": number, "item": item})
        if item["type"] == "message":
            place = {"output_index": number, "content_index": 0, "item_id": item["id"]}
            events.append({"type": "response.output_text.delta", **place, "delta": turn["say"]})
        events.append({"type": "response.output_item.done", "output_index": number, "item": item})
    events.append({"type": "response.completed", "response": done})
    return None, [(event["type"], event) for event in events]


def _id() -> str:
    return uuid.uuid4().hex[:12]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Model

    def log_message(self, format: str, *args: object) -> None:
        return

    def do_GET(self) -> None:
        if self.path.split("?")[0].endswith("/models"):
            self._answer({"object": "list", "data": [{"id": "stub-model", "object": "model", "owned_by": "stub"}]})
        else:
            self._answer({"error": {"message": "no such page"}}, 404)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            self._answer({"input_tokens": 100})
            return
        protocol = _anthropic if path.endswith("/messages") else _responses if path.endswith("/responses") else None
        if protocol is None:
            self.server.save(path, None, body)
            self._answer({"error": {"message": "no such page"}}, 404)
            return
        number, turn = self.server.turn_for(body)
        self.server.save(path, number, body)
        whole, events = protocol(turn, body)
        if whole is not None:
            self._answer(whole)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, event in events:
            self.wfile.write(f"event: {name}\ndata: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
        self.close_connection = True

    def _answer(self, value: Json, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
