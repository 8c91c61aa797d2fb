"""The shell reader against random text, `shlex` and a real bash."""

import json
import os
import re
import shlex
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from rulewright.hook.shell import commands, may_contain
from rulewright.text.patterns import Translated, gate_literals, translate

BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(BASH is None, reason="compares with bash")

FRAGMENTS = (
    *(
        "$(",
        "${",
        "$((",
        "((",
        "(",
        ")",
        "))",
        "}",
        "{ ",
        "`",
        "'",
        '"',
        "\\",
        "\n",
        ";",
        ";;",
        "&",
        "&&",
        "|",
        "<",
        ">",
    ),
    *(
        "<<A",
        "<<-'A'",
        "\nA\n",
        "<<<",
        "<(",
        "# ",
        "case x in ",
        "esac ",
        "for i in ",
        "do ",
        "done ",
        "if ",
        "fi ",
        "[[ ",
    ),
    *(
        "]] ",
        "function ",
        "f() ",
        "sudo ",
        "env -S ",
        "bash -c ",
        "eval ",
        "trap ",
        "find -exec ",
        "xargs ",
        "time ",
        "=(",
    ),
    *(
        "$'",
        "\\x41",
        "X=",
        "a",
        "b ",
        " ",
        "\t",
        "\r",
        "\0",
        "é",
        "\ud83d",
        "\u2003",
        "coproc ",
        "-",
        "--",
        "2",
        "{fd}>",
    ),
)
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))


@settings(max_examples=400, deadline=None)
@given(texts)
def test_never_raises_and_gives_normalised_lines(text: str) -> None:
    found = commands(text)
    assert len(set(found.commands)) == len(found.commands) == len(found.origins)
    for line in found.commands:
        assert line == line.strip(" ")
        assert "  " not in line
        assert re.search(r"[\t\n\v\f\r\u0085\u2003]", line) is None


plain_words = st.text("abcXYZ019_-+./:@%^,", min_size=1, max_size=6)


@given(st.lists(plain_words, min_size=1, max_size=5))
def test_plain_words_stay_as_they_are(words: list[str]) -> None:
    line = " ".join(["program", *words])
    assert commands(line).commands[0] == line


# Quoting that shlex and bash read alike: no `!`, no `#` at the start of a word, nothing that bash expands.
quoted = st.one_of(
    plain_words,
    st.text('ab c"\\$`;&|<>()*\n\té', max_size=6).map(lambda text: f"'{text}'"),
    st.text("ab c';&|<>()*\t\n", max_size=6).map(lambda text: f'"{text}"'),
    st.sampled_from([r"\"", r"\'", r"\\", r"\ ", r"\;", r'"\\"', r'"\""', r"\a", '""', "''"]),
)
quoted_words = st.lists(st.lists(quoted, min_size=1, max_size=3).map("".join), min_size=1, max_size=5)


def shown(words: list[str]) -> str:
    return " ".join(re.sub(r"\s", "\xa0", word) for word in words if word)


@given(quoted_words)
def test_words_are_those_of_shlex(words: list[str]) -> None:
    line = " ".join(["program", *words])
    assert commands(line).commands[0] == shown(shlex.split(line))


@needs_bash
@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.one_of(quoted, st.sampled_from([r"$'\x41\t\'\101'", '$"a b"', r"$'é\u4e2d\n.'", "a\\\nb"])),
                         min_size=1, max_size=3).map("".join), min_size=1, max_size=8))  # fmt: skip
def test_words_are_those_of_bash(words: list[str]) -> None:
    line = " ".join(words)
    assume(not re.search(r"(^|\s)[*?]|[*]", line.replace("'*'", "")))
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    script = f"set -f\nprintf '%s\\0' program {line}"
    result = subprocess.run([str(BASH), "-c", script], capture_output=True, check=True, env=environment)
    assert commands("program " + line).commands[0] == shown(result.stdout.decode().split("\0")[:-1])


# ---- what bash really runs -------------------------------------------------------------------------------------------

counter = st.integers(0, 9999)
probe = counter.map(lambda n: f"probe r{n} -f")
mention = st.one_of(
    counter.map(lambda n: f"echo 'probe m{n} -f'"),
    counter.map(lambda n: f'echo "probe m{n} -f; probe m{n}" > /dev/null'),
    counter.map(lambda n: f"cat <<'EOF'\nprobe m{n} -f\nEOF\n"),
    counter.map(lambda n: f"cat <<-EOF\n\tprobe m{n} 'it\n\tEOF\n"),
    counter.map(lambda n: f": # probe m{n}\n"),
    counter.map(lambda n: f"cat <<< 'probe m{n}'"),
    counter.map(lambda n: f"X='probe m{n}' true"),
    counter.map(lambda n: f": $((1 + {n})) ${{x:-probe m{n}}}"),
    counter.map(lambda n: f"[[ 'probe m{n}' == (a|b)* ]]"),
    counter.map(lambda n: f"A=(probe m{n} 'x y')"),
)


def wrap(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def line(template: str) -> st.SearchStrategy[str]:
        return inner.map(lambda script: template.replace("@", script))

    def as_argument(template: str) -> st.SearchStrategy[str]:
        return inner.map(lambda script: template.replace("@", shlex.quote(script)))

    return st.one_of(
        st.tuples(inner, st.sampled_from(["\n", "\n\n"]), inner).map("".join),
        line("(\n@\n)"), line("{\n@\n}"), line("if true; then\n@\nfi"), line("if false; then :; else\n@\nfi"),
        line("for i in 1; do\n@\ndone"), line("while true; do\n@\nbreak; done"), line("until false; do\n@\nbreak; done"),
        line("case x in y) :;; (x)\n@\n;; esac"), line("f() {\n@\n}; f"), line("function g { \n@\n}; g"),
        line(": $(\n@\n)"), line(': "$(\n@\n)"'), line(": ${x:-$(\n@\n)}"), line("x=$(\n@\n)"), line("cat <(\n@\n) >/dev/null"),
        line(": $((1 + $(\n@\n) 0))"), line("A=(1 $(\n@\n))"), line(": >$(\n@\necho /dev/null)"), line("! {\n@\n}"),
        line("time {\n@\n}"), line("true &&\n@"), line("false ||\n@"), line("true | {\n@\n}"), line("{\n@\n} 2>&1 | cat"),
        line("for ((i=0; i<1; i++)); do\n@\ndone"), line("{\n@\n} &\nwait"), line("select_x=1; (\n@\n) 3>&1 4<&0"),
        as_argument("bash -c @"), as_argument("bash -euo pipefail -c @ name"), as_argument("eval @"), as_argument("env A=1 bash -c @"),
        as_argument("trap @ EXIT; trap - INT"), as_argument("timeout 9 bash -c @"), as_argument("nice -n 1 bash -c @"),
        as_argument("echo x | xargs -I{} bash -c @"), as_argument("bash <<< @"), as_argument("env -u A command bash -c @"),
        as_argument("find / -maxdepth 0 -exec bash -c @ \\;"), as_argument("command eval @"), as_argument("stdbuf -oL bash -c @"),
        inner.filter(lambda s: "END" not in s).map(lambda script: f"bash <<'END'\n{script}\nEND\n"),
        inner.filter(lambda s: "END" not in s).map(lambda script: f"cat <<'END' | bash -s\n{script}\nEND\n"),
    )  # fmt: skip


leaves = st.booleans().flatmap(lambda runs: probe if runs else mention)
scripts = st.recursive(leaves, wrap, max_leaves=5).filter(lambda script: "probe r" in script)


@needs_bash
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(script=scripts)
def test_every_command_that_bash_runs_is_listed_and_no_mention(
    tmp_path_factory: pytest.TempPathFactory, script: str
) -> None:
    assume(script.count("trap ") <= 1)  # a second trap replaces the first one, which then never runs
    folder = tmp_path_factory.mktemp("probe")
    log = folder / "log"
    program = folder / "probe"
    program.write_text(f'#!/bin/sh\necho "probe $*" >> {log}\n')
    program.chmod(0o755)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    subprocess.run(
        [str(BASH), "-c", script],
        env=environment,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=20,
        cwd=folder,
    )
    ran = set(log.read_text().split("\n")) - {""} if log.exists() else set()
    found = commands(script)
    listed = {line for line in found.commands if line.startswith("probe ")}
    assert not any(line.startswith("probe m") for line in listed)
    if found.complete:
        assert ran <= listed


# ---- the gate --------------------------------------------------------------------------------------------------------

GATED = [
    "^git push .*(--force|-f)",
    r"(?i)git push",
    r"rm\s+-rf",
    "a|bc",
    r"^npm (publish|unpublish)$",
    r"[gG]it.*\bpush\b",
]


def spelled(word: str) -> st.SearchStrategy[str]:
    """Ways to write a word in a shell so that it is the same after quote removal."""
    return st.lists(st.sampled_from(["", "'@'", '"@"', "\\@", "@", "@", "@", "\\\n@", "''@", '$""@', "$'@'", "\\\r\n@"]),
                    min_size=len(word), max_size=len(word)).map(
        lambda ways: "".join((way or "@").replace("@", char) for way, char in zip(ways, word, strict=True))
    )  # fmt: skip


def spelled_line(line: str) -> st.SearchStrategy[str]:
    return st.tuples(*[spelled(word) for word in line.split(" ")]).map(" \t".join)


lines = st.sampled_from(
    [
        "git push -f",
        "git push origin --force",
        "/usr/bin/git push -f",
        "GIT push",
        "rm -rf /",
        "npm publish",
        "bc a",
        "git.exe push -f",
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    lines.flatmap(spelled_line),
    st.sampled_from(
        ["@", "bash -c #", "x; @", "echo $(@)", "eval #", "bash <<'A'\n@\nA", "bash -c \"bash -c '#'\"", "`@`", "@ '"]
    ),
    st.sampled_from(GATED),
    st.booleans(),
)
def test_the_gate_never_hides_a_match(line: str, around: str, pattern: str, ascii_only: bool) -> None:
    text = around.replace("@", line).replace("#", shlex.quote(line))
    translated = translate(pattern)
    assert isinstance(translated, Translated)
    found = commands(text)
    compiled = re.compile(translated.python)
    matched = any(compiled.search(command) for command in found.commands) or (
        not found.complete and compiled.search(text) is not None
    )
    pieces = tuple(piece.encode() for piece in gate_literals(translated))
    raw = json.dumps({"tool_input": {"command": text}}, ensure_ascii=ascii_only).encode()
    if matched and pieces:
        assert may_contain(raw, pieces)


@settings(max_examples=300, deadline=None)
@given(texts, st.sampled_from(["a", "ab", "a b", "b.*a", "[aé]b", "A"]))
def test_the_gate_never_hides_a_match_in_random_text(text: str, pattern: str) -> None:
    translated = translate(pattern)
    assert isinstance(translated, Translated)
    found = commands(text)
    compiled = re.compile(translated.python)
    matched = any(compiled.search(command) for command in found.commands) or (
        not found.complete and compiled.search(text) is not None
    )
    pieces = tuple(piece.encode() for piece in gate_literals(translated))
    raw = json.dumps({"command": text}).encode()
    if matched and pieces:
        assert may_contain(raw, pieces)


def test_the_gate_shuts() -> None:
    translated = translate("^git push .*(--force|-f)")
    assert isinstance(translated, Translated)
    pieces = tuple(piece.encode() for piece in gate_literals(translated))
    assert pieces == (b"push",)
    assert not may_contain(json.dumps({"command": "git status && echo \"a b\" 'c'"}).encode(), pieces)
    assert may_contain(json.dumps({"command": 'git p"us"h -f'}).encode(), pieces)
