"""What counts as a command of a shell line: the corpus, and a table for each construct."""

import json
import re
import time
from pathlib import Path

import pytest

from rulewright.hook.shell import MAX_DEPTH, commands
from rulewright.text.patterns import Translated, translate

CORPUS = Path(__file__).parent.parent / "corpus" / "shell"
SEED_GUARD = "^git push .*(--force|-f)"
GUARD = r"^git( .*)? push( .*)?( --force( |$)| -[a-zA-Z]*f[a-zA-Z]*( |$)| \+\S)"


def matches(pattern: str, text: str) -> bool:
    translated = translate(pattern)
    assert isinstance(translated, Translated)
    compiled = re.compile(translated.python)
    found = commands(text)
    return any(compiled.search(line) for line in found.commands) or (
        not found.complete and compiled.search(text) is not None
    )


def rows() -> list[tuple[str, dict[str, str]]]:
    return [
        (case.parent.name, row)
        for case in sorted(CORPUS.glob("*/commands.json"))
        for row in json.loads(case.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize(
    ("case", "row"), rows(), ids=lambda value: value["command"] if isinstance(value, dict) else value
)
def test_corpus(case: str, row: dict[str, str]) -> None:
    found = commands(row["command"])
    assert sorted(found.commands) == sorted(row["segments"])
    assert found.complete
    assert len(found.origins) == len(found.commands)
    pattern = SEED_GUARD if case.startswith("01") else GUARD
    assert matches(pattern, row["command"]) is (row["verdict"] == "block")


def hostile() -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for row in json.loads((CORPUS / "05-unparsable-and-hostile-input" / "payloads.json").read_text(encoding="utf-8")):
        text = row.get("payload", {}).get("tool_input", {}).get("command")
        if "payload_gen" in row:
            text = {
                "git": "git push origin main; " * 50000 + "git push -f",
                "$(": "$(" * 5000 + "git push -f" + ")" * 5000,
            }[re.search(r"'(git|\$\()", row["payload_gen"])[1]]  # type: ignore[index]
        if isinstance(text, str):
            found.append({**row, "text": text})
    return found


@pytest.mark.parametrize("row", hostile(), ids=lambda row: str(row["text"])[:30].encode("ascii", "replace").decode())
def test_hostile_corpus(row: dict[str, object]) -> None:
    acceptable = row.get("acceptable", [row["open"]])
    assert isinstance(acceptable, list)
    started = time.process_time()
    blocked = matches(GUARD, str(row["text"]))
    assert time.process_time() - started < 1
    # Where `fail: closed` denies and an open rule allows, the line could not be read.
    if row["open"] == "allow" and row["closed"] == "deny":
        assert not commands(str(row["text"])).complete
    assert blocked is (row["open"] == "block") or "deny" in acceptable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # white space and quoting
        ("a  b\t c", ["a b c"]),
        ("a 'b c' \"d\te\"", ["a b\xa0c d\xa0e"]),
        ("a b\u2003c", ["a b\xa0c"]),
        ("a '' b ''", ["a b"]),
        ("''", []),
        ("a b\\ c", ["a b\xa0c"]),
        ("a'b'\"c\"\\d", ["abcd"]),
        ('a "\\$x \\n \\" \\\\"', ['a $x\xa0\\n\xa0"\xa0\\']),
        ("gi\\\nt pu\\\r\nsh", ["git push"]),
        ("a \\\n  b", ["a b"]),
        ("$'g\\x69\\164' $'a\\tb\\'c' $\"d e\"", ["git a\xa0b'c d\xa0e"]),
        ("a $'\\u4e2d\\U0001F600\\cA\\q'", ["a 中😀\x01\\q"]),
        ("a\r\nb\r\n", ["a", "b"]),
        # expansions keep their source
        ("echo $x ${y:-a b} $((1 + 2)) $1 $", ["echo $x ${y:-a\xa0b} $((1\xa0+\xa02)) $1 $"]),
        ('echo "${x:-$(git push)}"', ["echo ${x:-$(git\xa0push)}", "git push"]),
        ("echo $((1 + $(git push)))", ["echo $((1\xa0+\xa0$(git\xa0push)))", "git push"]),
        ("echo $((git push); x)", ["echo $((git\xa0push);\xa0x)", "git push", "x"]),
        ("echo ${x%'}'} ${y%\"}\"} ${z%\\}}", ["echo ${x%'}'} ${y%\"}\"} ${z%\\}}"]),
        ("echo `a \\`b\\` \\$c`", ["echo `a\xa0\\`b\\`\xa0\\$c`", "a `b` $c", "b"]),
        ('echo "`a \\"b c\\"`"', ['echo `a\xa0\\"b\xa0c\\"`', "a b\xa0c"]),
        ("echo $[1+2]", ["echo $[1+2]"]),
        # separators and groups
        ("a;b&c&&d||e|f|&g\nh", list("abcdefgh")),
        ("(a; (b)); { c; }", list("abc")),
        ("((i++)); ((x<<2)) && a\nb", ["a", "b"]),
        ("( (a) )", ["a"]),
        ("if a; then b; elif c; then d; else e; fi", list("abcde")),
        ("while a; do b; done; until c\ndo d\ndone", list("abcd")),
        ("for i in x $(a); do b $i; done", ["a", "b $i"]),
        ("for i; do a; done; for i do b; done; select i in x; do c; done", list("abc")),
        ("for ((i=0;i<3;i++)); do a; done", ["a"]),
        ("for i\nin x y\ndo a\ndone", ["a"]),
        ("case $(a) in x|y) b;; (z) c;& *) d;;& esac; e", list("abcde")),
        ("case x\nin\n  # c)\n  x) a ;;\nesac", ["a"]),
        ("echo $(case x in x) a;; esac)", ["echo $(case\xa0x\xa0in\xa0x)\xa0a;;\xa0esac)", "a"]),
        ("f() { a; }; function g { b; }; function h() ( c ); f", ["a", "b", "c", "f"]),
        ("coproc a b; coproc N { c; }; coproc { d; }", ["a b", "c", "d"]),
        ("time -p a; time b | c; ! d", list("abcd")),
        ("time -v a", ["time -v a", "a"]),
        ("[[ $x =~ ^(a|b)$ && -f y ]] && c", ["[[ $x =~ ^ ( a | b ) $ && -f y ]]", "c"]),
        ("a if then", ["a if then"]),
        ("{a,b} c{d}", ["{a,b} c{d}"]),
        # comments
        ("a # b; c\nd", ["a", "d"]),
        ("a b#c; #d", ["a b#c"]),
        ("a $(b # )\n c)", ["a $(b\xa0#\xa0)\xa0\xa0c)", "b", "c"]),
        # assignments and redirections
        ("X=1 Y+='b c' Z[0]=1 a X=1", ["a X=1"]),
        ("X=(a $(b) 'c d') d", ["b", "d"]),
        ("declare -a x=(1 2) && a", ["declare -a x=(1\xa02)", "a"]),
        ("a >b 2>&1 <c >>d &>e &>>f >|g 3<>h 4>&- {fd}>i j", ["a j"]),
        ("2>&1 a; >x b", ["a", "b"]),
        ("a >$(b) <(c d) >(e)", ["a <(c\xa0d) >(e)", "b", "c d", "e"]),
        ("a> b;c", ["a", "c"]),
        ("ls !(a|b) @(c) x", ["ls !(a|b) @(c) x"]),
        # here-documents
        ("cat <<A; b\nx y\nA\nc", ["cat", "b", "c"]),
        ("bash <<A\nx y\nA\nc", ["bash", "x y", "c"]),
        ("sudo bash -s <<'A' 2>&1\nx 'y z'\nA", ["sudo bash -s", "bash -s", "x y\xa0z"]),
        ("cat <<-'A'\n\tx\n\tA\nc", ["cat", "c"]),
        ("sh <<-A\n\tx\n\tA\nc", ["sh", "x", "c"]),
        ("cat <<A <<'B'\n$(x)\nA\n$(y)\nB\nc", ["cat", "x", "c"]),
        ("cat <<A | sh\nx\nA\nc", ["cat", "sh", "x", "c"]),
        ("cat <<A | tee f | bash -x\nx\nA", ["cat", "tee f", "bash -x", "x"]),
        ("cat <<A | grep x\nx\nA", ["cat", "grep x"]),
        ("bash script.sh <<A\nx\nA", ["bash script.sh"]),
        ("cat <<A\nx", ["cat"]),
        ("bash <<< 'x y'; cat <<< 'x z'", ["bash", "x y", "cat"]),
        ("source /dev/stdin <<A\nx\nA", ["source /dev/stdin", "x"]),
        ("git commit -m \"$(cat <<'EOF'\nit's; git push -f\nEOF\n)\" && b",
         ["git commit -m $(cat\xa0<<'EOF'\xa0it's;\xa0git\xa0push\xa0-f\xa0EOF\xa0)", "cat", "b"]),
        ("cat <<A\n\\$(x) `y`\nA", ["cat", "y"]),
        # wrappers
        ("sudo -u x -E -- a b", ["sudo -u x -E -- a b", "a b"]),
        ("sudo -ux --user y --group=z K=1 a", ["sudo -ux --user y --group=z K=1 a", "a"]),
        ("sudo -e f; command -v a; command -p b", ["sudo -e f", "command -v a", "command -p b", "b"]),
        ("env -i A=1 -u B C=2 a", ["env -i A=1 -u B C=2 a", "a"]),
        ("env -S'-i a  \"b c\"' d", ["env -S-i\xa0a\xa0\xa0\"b\xa0c\" d", "a b\xa0c d"]),
        ("env --split-string='a b' c", ["env --split-string=a\xa0b c", "a b c"]),
        ("env - a", ["env - a", "a"]),
        ("exec -a n a; exec >x", ["exec -a n a", "a", "exec"]),
        ("nice a; nice -5 b; nice -n 5 c; nice --adjustment=1 d",
         ["nice a", "a", "nice -5 b", "b", "nice -n 5 c", "c", "nice --adjustment=1 d", "d"]),
        ("timeout -s KILL -k5 10 a", ["timeout -s KILL -k5 10 a", "a"]),
        ("stdbuf -oL -e 0 a; ionice -c2 -n 3 b; setsid -w c; doas -u x d; builtin eval 'e'",
         ["stdbuf -oL -e 0 a", "a", "ionice -c2 -n 3 b", "b", "setsid -w c", "c", "doas -u x d", "d",
          "builtin eval e", "eval e", "e"]),
        ("xargs -0 -I {} -n1 sh -c 'a {}'", ["xargs -0 -I {} -n1 sh -c a\xa0{}", "sh -c a\xa0{}", "a {}"]),
        ("find . -name x -exec a {} + -o -execdir b {} \\;",
         ["find . -name x -exec a {} + -o -execdir b {} ;", "a {}", "b {}"]),
        ("/usr/bin/sudo /usr/bin/env a",
         ["/usr/bin/sudo /usr/bin/env a", "sudo /usr/bin/env a", "/usr/bin/env a", "env a", "a"]),
        ("'C:\\Program Files\\Git\\git.EXE' x", ["C:\\Program\xa0Files\\Git\\git.EXE x", "git x"]),
        # strings that are commands
        ("bash -euo pipefail -c 'a; b'", ["bash -euo pipefail -c a;\xa0b", "a", "b"]),
        ("bash --rcfile f -O extglob -c -- 'a' n", ["bash --rcfile f -O extglob -c -- a n", "a"]),
        ("bash -c", ["bash -c"]),
        ("eval a 'b; c'", ["eval a b;\xa0c", "a b", "c"]),
        ("trap - INT; trap 'a' 1; trap -p", ["trap - INT", "trap a 1", "a", "trap -p"]),
        ("bash -c \"echo \\$(a)\"", ["bash -c echo\xa0$(a)", "echo $(a)", "a"]),
        # another shell
        ("Remove-Item x -Recurse; & 'C:\\git.exe' push; if (Test-Path y) { a }",
         ["Remove-Item x -Recurse", "C:\\git.exe push", "git push", "Test-Path y", "a }"]),
    ],
)  # fmt: skip
def test_constructs(text: str, expected: list[str]) -> None:
    found = commands(text)
    assert sorted(found.commands) == sorted(dict.fromkeys(expected))
    assert found.complete


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("git push -f 'oops", ["git push -f oops"]),
        ('a "b', ["a b"]),
        ("a $(b", ["a $(b", "b"]),
        ("a `b", ["a `b", "b"]),
        ("a ${b", ["a ${b"]),
        ("(a", ["a"]),
        ("a)", ["a"]),
        ("a (b)", ["a", "b"]),
        ("case x in y", []),
        ("[[ a", ["[[ a"]),
        ("bash -c 'a \"b'", ['bash -c a\xa0"b', "a b"]),
    ],
)
def test_what_cannot_be_read_is_marked(text: str, expected: list[str]) -> None:
    found = commands(text)
    assert sorted(found.commands) == sorted(expected)
    assert not found.complete


def test_nesting_is_followed_to_the_limit() -> None:
    inside = commands("$(" * MAX_DEPTH + "git push -f" + ")" * MAX_DEPTH)
    assert inside.complete
    assert "git push -f" in inside.commands
    assert not commands("$(" * (MAX_DEPTH + 1) + "git push -f" + ")" * (MAX_DEPTH + 1)).complete
    assert not commands("sudo " * (MAX_DEPTH + 1) + "git push -f").complete
    assert commands("(" + " (" * 5000 + "git push -f" + ")" * 5001).commands == ["git push -f"]


def test_origins() -> None:
    found = commands("/bin/a; sudo b; bash -c c; eval d; trap e 1; sh <<A\nf\nA\nsh <<< g; echo $(h)")
    assert dict(zip(found.commands, found.origins, strict=True)) == {
        "/bin/a": "line", "a": "base name", "sudo b": "line", "b": "wrapper", "bash -c c": "line", "c": "-c",
        "eval d": "line", "d": "eval", "trap e 1": "line", "e": "trap", "sh": "line", "f": "here-document",
        "g": "here-string", "echo $(h)": "line", "h": "substitution",
    }  # fmt: skip


def test_nul_ends_a_line_and_is_nothing() -> None:
    assert commands("git pu\0sh -f").commands == ["git pu", "sh -f", "git push -f"]


@pytest.mark.parametrize(
    "text",
    [
        "$(" * 5000 + "x" + ")" * 5000, "(" * 50000, "((" * 50000, "$((" * 30000, "((a" * 20000, "`" * 50000,
        "${" * 50000, '"$(' * 30000, "a=(" * 30000, "!(" * 30000, "<(" * 30000, "bash -c '" * 5000, "eval " * 20000,
        "sudo " * 20000, "\\" * 100000, "<<A " * 10000 + "\n" * 10000, "case x in " * 20000, "[[ " * 20000,
        "f()" * 30000, "$'\\x" * 30000, 'bash -c "' + '$(bash -c "' * 8 + "$(x)" * 5000 + '")' * 8 + '"',
        "env -S" * 20000, "find -exec " * 20000, "cat <<A | " * 3000 + "\n" + "A\n" * 3000, "\0$(" * 5000,
    ],
    ids=lambda text: text[:12].encode("unicode_escape").decode(),
)  # fmt: skip
def test_hostile_texts_are_quick(text: str) -> None:
    started = time.process_time()
    commands(text)
    assert time.process_time() - started < 2
