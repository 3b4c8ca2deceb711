"""A daemon of a test: a real HTTP server, on a socket or on TCP, that answers as its script says."""

from __future__ import annotations

import json
import os
import socket
import socketserver
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Union

#: Status and body: an object, or bytes that are sent as they are. None: no answer.
Reply = Union["tuple[int, Mapping[str, object] | bytes]", None]
Script = Callable[[str, "dict[str, object]"], Reply]

OPENED = {
    "session": "sess_1",
    "config": {"version": 3, "digest": "sha256:" + "0" * 64, "environment": "dev"},
    "startup_policy": "deny",
    "url": "http://127.0.0.1:3000/sessions/sess_1",
}


class _Threading(socketserver.ThreadingMixIn):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that gave up ends its connection before the answer."""


class _Server(_Threading, socketserver.TCPServer):
    allow_reuse_address = True


class _UnixServer(_Threading, socketserver.UnixStreamServer):
    pass


class ScriptedDaemon:
    def __init__(self, script: Script, *, over_tcp: bool = False) -> None:
        self.script = script
        #: Path of each call and its body, in order. Opening has the path "".
        self.calls: list[tuple[str, dict[str, object]]] = []
        self.tokens: set[str | None] = set()
        self.seconds_per_byte = 0.0
        #: Every connection of the client so far.
        self.connections: list[socket.socket] = []
        self._folder = tempfile.TemporaryDirectory(prefix="sbx-")
        self.state_folder = os.path.join(self._folder.name, "state")
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        handler = self._handler()
        self._server: socketserver.BaseServer
        if over_tcp:
            tcp = _Server(("127.0.0.1", 0), handler)
            self._server, self.address = tcp, f"http://127.0.0.1:{tcp.server_address[1]}"
        else:
            self.address = os.path.join(self._folder.name, "agent.sock")
            self._server = _UnixServer(self.address, handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    def paths(self) -> list[str]:
        return [path for path, _ in self.calls]

    def body(self, path: str) -> dict[str, object]:
        return next(body for called, body in reversed(self.calls) if called == path)

    def write_file(self, name: str, text: str) -> str:
        file = os.path.join(self._folder.name, name)
        with open(file, "w", encoding="utf-8") as opened:
            opened.write(text)
        return file

    def __enter__(self) -> ScriptedDaemon:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self._folder.cleanup()

    def stop(self) -> None:
        """Ends the server; a second time has no effect."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        self._server.shutdown()
        self.cut_connections()
        self._server.server_close()
        if os.path.exists(self.address):
            os.unlink(self.address)

    def cut_connections(self) -> None:
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                # The client ended it.
                continue

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        daemon = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # An answer in two packets would wait for the client's acknowledgement of the first one.
            wbufsize = 65_536

            def setup(self) -> None:
                super().setup()
                with daemon._lock:
                    daemon.connections.append(self.connection)

            def address_string(self) -> str:
                return "test"

            def log_message(self, format: str, *args: object) -> None:
                """The test reports what failed."""

            def do_GET(self) -> None:
                self.do_POST()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                _, _, path = self.path.partition("/agent/v1/sessions")
                call = path.removeprefix("/sess_1").removeprefix("/")
                with daemon._lock:
                    parsed = json.loads(body) if body else {}
                    daemon.calls.append((call, parsed))
                    daemon.tokens.add(self.headers.get("authorization"))
                reply = daemon.script(call, parsed)
                if reply is None:
                    daemon._stopped.wait()
                    self.close_connection = True
                    return
                status, answer = reply
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if daemon.seconds_per_byte > 0:
                    self.wfile.flush()
                    for byte in data:
                        time.sleep(daemon.seconds_per_byte)
                        self.connection.send(bytes([byte]))
                    return
                self.wfile.write(data)

        return Handler


def answer(**replies: Reply | list[Reply]) -> Script:
    """A script by path, `before_tool` for before-tool. Of a list, each call gets the next one and the last one stays. Others get `{}`."""
    left = {name.replace("_", "-"): reply for name, reply in replies.items()}

    def script(path: str, body: dict[str, object]) -> Reply:
        if path == "" and "" not in left and "open" not in left:
            return 201, OPENED
        reply = left.get(path or "open", (200, {}))
        if isinstance(reply, list):
            return reply.pop(0) if len(reply) > 1 else reply[0]
        return reply

    return script
