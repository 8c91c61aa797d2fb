"""`rulewright lsp`: run the language server. The one place where the engine's package imports the server's."""

from __future__ import annotations

import argparse
import ipaddress

from rulewright.commands.terminal import print_error
from rulewright.errors import RulewrightError
from rulewright.text.language import Lang, Text, same


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `lsp`."""
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--stdio", action="store_true", help=STDIO_HELP.to(lang))
    way.add_argument("--tcp", metavar="HOST:PORT", help=TCP_HELP.to(lang))
    way.add_argument("--ws", metavar="HOST:PORT", help=WS_HELP.to(lang))
    # vscode-languageclient may add it to any command line; the same number comes with `initialize`.
    parser.add_argument("--clientProcessId", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--allow-remote", action="store_true", help=ALLOW_REMOTE_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Serve until the client leaves (stdio) or the process is ended."""
    where = args.tcp or args.ws
    if where is None:
        from rulewright_ls.server import serve_stdio

        return serve_stdio(args.lang)
    host, port = address(where, args.allow_remote)
    from rulewright_ls.server import serve_tcp, serve_ws

    serve = serve_tcp if args.tcp else serve_ws
    try:
        serve(host, port, args.lang, lambda shown: print_error(LISTENING.format(where=shown).to(args.lang)))
    except OSError as error:
        reason = error.strerror or str(error)
        raise RulewrightError(
            Text("cannot listen on {where}: {reason}", "无法监听 {where}：{reason}").format(
                where=where, reason=same(reason)
            )
        ) from error
    return 0


def address(text: str, allow_remote: bool) -> tuple[str, int]:
    """Return host and port of `HOST:PORT`; an IPv6 host stands in brackets, no host means this machine.

    Raises:
        RulewrightError: it is no such thing, or others could reach the server and that was not asked for: whoever
            reaches it can read what the user can read.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise RulewrightError(
            Text("`{text}` is not HOST:PORT", "`{text}` 不是 HOST:PORT 形式").format(text=text),
            Text("for example 127.0.0.1:7777", "例如 127.0.0.1:7777"),
        )
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not allow_remote and not _is_loopback(host):
        raise RulewrightError(
            Text("`{host}` can be reached by others", "其他机器可以访问 `{host}`").format(host=host),
            Text("use 127.0.0.1, or add `--allow-remote`", "请使用 127.0.0.1，或加上 `--allow-remote`"),
        )
    return host, int(port)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


STDIO_HELP = Text("talk over stdin and stdout (default)", "通过 stdin 和 stdout 通信（默认）")
TCP_HELP = Text("listen for one client after another on a TCP port", "监听 TCP 端口")
WS_HELP = Text("listen for WebSocket clients", "监听 WebSocket 客户端")
ALLOW_REMOTE_HELP = Text("allow an address that other machines can reach", "允许其他机器能访问的地址")
LISTENING = Text("rulewright: listening on {where}", "rulewright：正在监听 {where}")
