"""`rulewright lsp`: run the language server. The one module of the engine that knows the server, and only when it is called."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from rulewright.errors import RulewrightError
from rulewright.text.language import Lang, Text, same


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `lsp`."""
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--stdio", action="store_true", help=STDIO_HELP.to(lang))
    how.add_argument("--tcp", metavar="HOST:PORT", help=TCP_HELP.to(lang))
    how.add_argument("--ws", metavar="HOST:PORT", help=WS_HELP.to(lang))
    parser.add_argument("--any-host", action="store_true", help=ANY_HOST_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Serve until the client is done; over TCP and WebSocket until the process is stopped."""
    if args.tcp is None and args.ws is None:
        from rulewright_ls.server import serve_stdio

        code = serve_stdio(args.lang)
        sys.stderr.flush()
        # An analysis that is still running must not hold up the exit.
        os._exit(code)
    from rulewright_ls.server import is_loopback, serve_tcp, serve_ws

    host, port = _address(args.tcp or args.ws)
    if not args.any_host and not is_loopback(host):
        raise RulewrightError(
            Text("`{host}` can be reached by other machines", "其他机器可以访问 `{host}`").format(host=host),
            Text("use 127.0.0.1, or add --any-host if that is meant", "请用 127.0.0.1；如果确实需要，加上 --any-host"),
        )
    serve: Callable[[str, int, Lang, Callable[[str], None]], None] = serve_tcp if args.tcp else serve_ws
    try:
        serve(host, port, args.lang, _say_address)
    except OSError as error:
        reason = same(error.strerror or str(error))
        raise RulewrightError(
            Text("cannot listen on {host}:{port}: {reason}", "无法监听 {host}:{port}：{reason}").format(
                host=host, port=port, reason=reason
            )
        ) from error
    return 0


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise RulewrightError(
            Text("`{text}` is not HOST:PORT", "`{text}` 不是 HOST:PORT").format(text=text),
            Text("for example 127.0.0.1:2087", "例如 127.0.0.1:2087"),
        )
    return host.strip("[]") or "127.0.0.1", int(port)


def _say_address(address: str) -> None:
    sys.stderr.write(f"rulewright lsp: {address}\n")
    sys.stderr.flush()


STDIO_HELP = Text("talk over stdin and stdout (default)", "通过 stdin 和 stdout 通信（默认）")
TCP_HELP = Text("listen for clients over TCP", "通过 TCP 监听客户端")
WS_HELP = Text("listen for clients over WebSocket", "通过 WebSocket 监听客户端")
ANY_HOST_HELP = Text(
    "allow an address that other machines can reach; whoever connects reads what this user can read",
    "允许其他机器能访问的地址；连接者能读取当前用户可读的文件",
)
