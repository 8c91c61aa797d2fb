"""The gate is sound: where it says that nothing can match, evaluation agrees; and the entries it leaves out do not match.

Random rules meet random events: escapes, quotes, nesting, list forms, characters beyond ASCII, alternations, optional parts.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rulewright.compiler import compile_index, gate
from rulewright.harness import codec
from rulewright.hook import merge
from rulewright.hook.index import Index, shell_blind
from rulewright.hook.run import Call, EventUnreadable, decode, entries_of, nothing_can_match
from rulewright.hook.shell import may_contain
from support.hook import HARNESS, document, package

WORDS = [
    "git",
    "push",
    "-f",
    "--force",
    "rm",
    "-rf",
    "/",
    "a",
    "tool x",
    "é",
    "文件",
    "src/app.py",
    "it's",
    '"q"',
    "$HOME",
    "<b>",
    "",
]
PATTERNS = [
    "git push",
    "^git( .*)? push( .*)?( --force( |$)| -[a-zA-Z]*f)",
    "(rm|mv) -rf?",
    "gi?t",
    "gi*t p",
    "(git|rm)",
    "(push|pull|)",
    "[g]it",
    "(?i)GIT",
    "g(?i:IT)",
    "push.{0,3}-f",
    r"\bgit\b",
    r"git\s+push",
    r"src/.*\.py",
    "é+",
    "a|",
    "^$",
    r"\$HOME",
    "'",
    "<b>",
    "tool.x",
]
GLOBS = ["src/**/*.py", "*.py", "**", "src/app.py", "[s]rc/*", "*app*", "a", "sr?/app.*", "\\src/*"]
FIELDS = [
    "tool.input.command",
    "tool.input.path",
    "tool.input.text",
    "tool.native_name",
    "cwd",
    "session.id",
    "event",
    "tool.name",
]


def quoted(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


@st.composite
def conditions(draw: st.DrawFn) -> str:
    op = draw(
        st.sampled_from(
            ["contains", "starts_with", "ends_with", "equals", "in", "glob", "regex", "shell_regex", "exists"]
        )
    )
    field = draw(st.sampled_from(FIELDS[:3] * 4 + FIELDS))
    if op == "exists":
        pattern = draw(st.sampled_from(["true", "false"]))
    elif op == "in":
        pattern = (
            "["
            + ", ".join(quoted(word) for word in draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3)))
            + "]"
        )
    elif op in ("regex", "shell_regex"):
        pattern = quoted(draw(st.sampled_from(PATTERNS)))
    elif op == "glob":
        pattern = quoted(draw(st.sampled_from(GLOBS)))
    else:
        pattern = quoted(" ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=2))))
    flags = "".join(draw(st.sampled_from(["", "", f", {flag}: true"])) for flag in ("negate", "ignore_case"))
    if op == "exists":
        flags = flags.replace(", ignore_case: true", "")
    return f"{{field: {field}, op: {op}, pattern: {pattern}{flags}}}"


@st.composite
def rules(draw: st.DrawFn) -> str:
    lines = []
    for number in range(draw(st.integers(1, 4))):
        target = draw(st.sampled_from(["tool: shell", "tool: '*'", "tool: [file.edit, shell]", "tool: Bash"]))
        listed = ", ".join(draw(st.lists(conditions(), min_size=1, max_size=3)))
        match = draw(st.sampled_from(["all", "any"]))
        fail = draw(st.sampled_from(["open", "open", "closed"]))
        lines.append(
            f"- {{id: r{number}, target: tool, {target}, action: block, fail: {fail}, text: No., "
            f"when: {{match: {match}, conditions: [{listed}]}}}}\n"
        )
    return "".join(lines)


@st.composite
def mangled(draw: st.DrawFn, word: str) -> str:
    """Write a shell word in one of the ways that quote removal makes the same (or nearly so)."""
    at = draw(st.integers(0, len(word)))
    head, tail = word[:at], word[at:]
    insert = draw(st.sampled_from(["", "", "''", '""', "\\", "\\\n", "$''", "'\\\n'", "\0", "\n", "$", "\r\n", "\\\\"]))
    whole = draw(st.sampled_from(["{}", "{}", "'{}'", '"{}"', "$'{}'", '$"{}"', "$({})", "`{}`", "${{x:-{}}}"]))
    return whole.format(f"{head}{insert}{tail}")


@st.composite
def commands(draw: st.DrawFn) -> Any:
    words = [draw(mangled(draw(st.sampled_from(WORDS)))) for _ in range(draw(st.integers(0, 5)))]
    if draw(st.integers(0, 7)) == 0:
        return words
    text = draw(st.sampled_from([" ", "  ", "\t", " && ", ";", "\n", " \\\n"])).join(words)
    for _ in range(draw(st.integers(0, 2))):
        form = draw(
            st.sampled_from(["{}", "sh -c '{}'", 'bash -c "{}"', "eval {}", "eval '{}'", "sh <<E\n{}\nE", "sudo {}"])
        )
        if draw(st.booleans()):
            text = text.replace("\\", "\\\\").replace('"', '\\"')
        text = form.format(text)
    return text


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """Write JSON as some writer might: other escapes, other spaces."""
    style = draw(st.sampled_from(["plain", "ascii", "spaced", "slashes", "html", "escapes"]))
    text = json.dumps(value, ensure_ascii=style == "ascii", separators=None if style == "spaced" else (",", ":"))
    if style == "slashes":
        text = text.replace("/", "\\/")
    elif style == "html":
        text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    elif style == "escapes":
        char = draw(st.sampled_from("gipu-mr"))
        text = text.replace(char, f"\\u{ord(char):04x}" if draw(st.booleans()) else f"\\u{ord(char):04X}")
    return text


@st.composite
def payloads(draw: st.DrawFn) -> bytes:
    command = draw(commands())
    event: dict[str, Any] = {"session_id": "git", "cwd": draw(st.sampled_from(["/src", "/p/push", "C:\\new\\git", ""]))}
    if draw(st.integers(0, 5)):
        event["hook_event_name"] = draw(st.sampled_from(["PreToolUse"] * 5 + ["PostToolUse"]))
    event["tool_name"] = draw(st.sampled_from(["Bash"] * 6 + ["PowerShell", "Edit", "TodoWrite", "mcp__git__push"]))
    event["tool_input"] = {
        "command": command,
        "file_path": draw(
            st.sampled_from(
                ["/src/src/app.py", "src/app.py", "../x/../src/app.py", "\\src\\app.py", "C:\\new\\git\\src\\app.py"]
            )
        ),
        "text": draw(st.one_of(st.sampled_from(WORDS), st.none(), st.text(max_size=4))),
        **({draw(st.sampled_from(["tool_name", "hook_event_name"])): "Read"} if draw(st.integers(0, 9)) == 0 else {}),
    }
    return draw(written(event)).encode("utf-8", "surrogatepass")


def call() -> Call:
    return Call(codec(HARNESS), "", "", "PreToolUse")


def counted(index: Index, raw: bytes, gated: bool) -> list[tuple[str, str]] | None:
    """Return the entries that count at an event, with what they are: matched, or an error that denies."""
    asked = call()
    try:
        event = decode(asked, raw)
    except EventUnreadable:
        return None
    if event is None:
        return None
    results = merge.evaluate(entries_of(index, asked.native, event, raw if gated else None), event)
    return [
        (result.entry["name"], result.match)
        for result in results
        if result.match == merge.MATCHED or (result.match == merge.ERROR and result.entry.get("closed"))
    ]


@settings(deadline=None)
@given(rules(), payloads())
def test_the_gate_never_hides_a_match(text: str, raw: bytes) -> None:
    index = Index(compile_index([document(package(text))], HARNESS), HARNESS)
    everything = counted(index, raw, gated=False)
    if nothing_can_match(call(), index, raw):
        assert not everything
    assert counted(index, raw, gated=True) == everything


@settings(deadline=None)
@given(commands(), st.lists(st.sampled_from(["git", "push", "-f", "--force", "rm"]), min_size=1, max_size=2))
def test_the_shell_gate_is_that_of_the_shell_reader(command: Any, literals: list[str]) -> None:
    raw = json.dumps({"command": command}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    pieces = tuple(literal.encode() for literal in literals)
    joined = raw.translate(None, b"\\'\"$")
    assert (shell_blind(raw) or any(piece in joined for piece in pieces)) is may_contain(raw, pieces)


def test_what_gates_are_made_of() -> None:
    def of(*listed: dict[str, Any], **more: Any) -> tuple[str, list[str]]:
        return gate({"conditions": list(listed), **more})

    def condition(op: str, pattern: Any, field: str = "tool.input.command", **more: Any) -> dict[str, Any]:
        return {"field": field, "op": op, "pattern": pattern, **more}

    assert of(condition("contains", "rm -rf")) == ("p", ["-rf"])
    assert of(condition("contains", "rm -rf", "prompt.text")) == ("p", ["rm -rf"])
    assert of(condition("contains", " /")) == ("*", [])
    assert of(condition("contains", "rm -rf", negate=True)) == ("*", [])
    assert of(condition("contains", "rm -rf", ignore_case=True)) == ("*", [])
    assert of(condition("contains", "shell", "tool.name")) == ("*", [])
    assert of(condition("contains", "resume", "session.source")) == ("*", [])
    assert of(condition("in", ["alpha", "beta"])) == ("p", ["alpha", "beta"])
    assert of(condition("in", ["alpha", 3])) == ("*", [])
    assert of(condition("glob", "src/**/*.py", "tool.input.path")) == ("p", ["src"])
    assert of(condition("glob", "[s]rc/*", "tool.input.path")) == ("*", [])
    assert of(condition("shell_regex", "x", pieces=["--force", "push"])) == ("s", ["--force", "push"])
    assert of(condition("contains", "abc"), condition("contains", "abcdef")) == ("p", ["abcdef"])
    assert of(condition("contains", "abc"), condition("contains", "xyz"), any=True) == ("p", ["abc", "xyz"])
    assert of(condition("contains", "abc"), condition("exists", True), any=True) == ("*", [])
    assert of(condition("contains", "abc"), closed=True) == ("*", [])
    assert gate({"mcp": ["github/create_*"]}) == ("p", ["create_"])
    assert gate({"mcp": ["*/*"]}) == ("*", [])
    assert gate({"skill": ["tidy"]}) == ("p", ["tidy"])
    assert gate({}) == ("*", [])
