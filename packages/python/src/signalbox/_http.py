"""HTTP/1.1 to the daemon with one time limit for the whole exchange, which http.client cannot give. Blocking and asyncio share the parser."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
import ssl
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

MAX_HEAD_BYTES = 65_536
MAX_BODY_BYTES = 64 * 1024 * 1024
CHUNK_BYTES = 65_536


class BrokenAnswer(OSError):
    """The bytes are not an HTTP answer, or the connection ended before the answer did."""


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: bytes
    #: Seconds for the whole exchange, connecting included.
    timeout: float
    #: Seconds to wait before sending.
    delay: float = 0.0


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    keeps_open: bool = True


@dataclass(frozen=True)
class Address:
    """Socket path, or host and port. `secure` None: without TLS. `token` None: the socket's mode is the permission."""

    path: str | None
    host: str
    port: int
    secure: ssl.SSLContext | None
    token: str | None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.path if self.path is not None else f"{host}:{self.port}"

    def encode(self, request: Request) -> bytes:
        host = "localhost" if self.path is not None else str(self)
        lines = [
            f"{request.method} {request.path} HTTP/1.1",
            f"Host: {host}",
            "Content-Type: application/json",
            f"Content-Length: {len(request.body)}",
        ]
        if self.token is not None:
            lines.append(f"Authorization: Bearer {self.token}")
        return "\r\n".join([*lines, "", ""]).encode("ascii") + request.body


def parse_address(text: str, token_file: str | None, ca_file: str | None) -> Address:
    """Accepts `/path/to.sock`, `unix:/path/to.sock`, `http://host:port` and `https://host:port`.

    Raises ValueError, and OSError for a file that cannot be read, a name that no host has, and a token that would be sent in clear text."""
    if text.startswith(("/", "unix:")):
        return Address(text.removeprefix("unix:"), "", 0, None, None)
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or parts.hostname is None:
        raise ValueError(
            f"{text!r} is neither a socket path nor an address such as http://127.0.0.1:4620"
        )
    try:
        host = parts.hostname.encode("idna").decode("ascii")
    except UnicodeError:
        raise OSError(f"{parts.hostname!r} is not a host name") from None
    is_secure = parts.scheme == "https"
    if token_file is not None and not is_secure and not _is_loopback(host):
        raise OSError(f"the token would be readable on its way to {host}: use https://")
    secure = ssl.create_default_context(cafile=ca_file) if is_secure else None
    token = None if token_file is None else Path(token_file).read_text("utf-8").strip()
    if token is not None and not (token.isascii() and token.isprintable()):
        raise ValueError(f"{token_file} does not hold a token")
    return Address(None, host, parts.port or (443 if is_secure else 80), secure, token)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class AnswerParser:
    """Reads one answer from the bytes of a connection. Raises BrokenAnswer."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._head: tuple[int, dict[str, str]] | None = None

    def feed(self, data: bytes) -> Answer | None:
        """None: the answer continues. Empty data: the connection ended."""
        if data == b"":
            raise BrokenAnswer("the connection ended before the answer did")
        self._bytes += data
        if self._head is None and not self._read_head():
            return None
        status, headers = self._head or (0, {})
        if "chunked" in headers.get("transfer-encoding", "").lower():
            read = self._read_chunks()
        else:
            read = self._read_sized(headers.get("content-length", ""))
        if read is None:
            return None
        body, end = read
        # Bytes after the answer would be taken for the next one.
        keeps_open = headers.get("connection", "").lower() != "close" and end == len(self._bytes)
        return Answer(status, body, keeps_open)

    def _read_head(self) -> bool:
        end = self._bytes.find(b"\r\n\r\n")
        if end < 0:
            if len(self._bytes) > MAX_HEAD_BYTES:
                raise BrokenAnswer("the head of the answer is too long")
            return False
        first, *lines = bytes(self._bytes[:end]).decode("latin-1").split("\r\n")
        words = first.split(" ", 2)
        if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdecimal():
            raise BrokenAnswer("the answer is not HTTP/1.1")
        pairs = (line.partition(":") for line in lines)
        self._head = (
            int(words[1]),
            {name.strip().lower(): value.strip() for name, _, value in pairs},
        )
        del self._bytes[: end + 4]
        return True

    def _read_sized(self, length: str) -> tuple[bytes, int] | None:
        """Body, and where it ends; so does _read_chunks."""
        size = _parse_size(length, 10)
        return (bytes(self._bytes[:size]), size) if len(self._bytes) >= size else None

    def _read_chunks(self) -> tuple[bytes, int] | None:
        body, at = bytearray(), 0
        while True:
            end = self._bytes.find(b"\r\n", at)
            if end < 0:
                return None
            size = _parse_size(bytes(self._bytes[at:end]).partition(b";")[0].decode("latin-1"), 16)
            at = end + 2 + size + 2
            if len(self._bytes) < at:
                return None
            if size == 0:
                return bytes(body), at
            body += self._bytes[end + 2 : at - 2]


def _parse_size(text: str, base: int) -> int:
    try:
        size = int(text, base)
    except ValueError:
        raise BrokenAnswer("the answer does not state its length") from None
    if not 0 <= size <= MAX_BODY_BYTES:
        raise BrokenAnswer("the answer is too large")
    return size


class Transport:
    """Blocking. Threads share it: each uses a connection of its own while it waits, and leaves it open for the next call."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._idle: deque[socket.socket] = deque()
        self._owner = os.getpid()

    def send(self, request: Request) -> Answer:
        """Raises OSError; TimeoutError is one."""
        if request.delay > 0:
            time.sleep(request.delay)
        if self._owner != os.getpid():
            # A forked child must not write into connections of its parent.
            self._idle, self._owner = deque(), os.getpid()
        deadline = time.monotonic() + request.timeout
        while True:
            try:
                kept = self._idle.pop()
            except IndexError:
                return self._exchange(self._connect(deadline), request, deadline)
            if not _is_silent(kept):
                kept.close()
                continue
            try:
                return self._exchange(kept, request, deadline)
            except TimeoutError:
                raise
            except OSError:
                # The daemon ended this connection, or was restarted. A repeated call has the same id, so it counts once.
                continue

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _connect(self, deadline: float) -> socket.socket:
        address = self.address
        if address.path is None:
            connection = socket.create_connection(
                (address.host, address.port), _compute_remaining(deadline)
            )
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if address.secure is None:
                return connection
            return address.secure.wrap_socket(connection, server_hostname=address.host)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(_compute_remaining(deadline))
            connection.connect(address.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _exchange(self, connection: socket.socket, request: Request, deadline: float) -> Answer:
        answer: Answer | None = None
        try:
            connection.settimeout(_compute_remaining(deadline))
            connection.sendall(self.address.encode(request))
            parser = AnswerParser()
            while answer is None:
                connection.settimeout(_compute_remaining(deadline))
                answer = parser.feed(connection.recv(CHUNK_BYTES))
            return answer
        finally:
            if answer is not None and answer.keeps_open:
                self._idle.append(connection)
            else:
                connection.close()


def _is_silent(connection: socket.socket) -> bool:
    """False: it has ended, or has bytes that no request asked for."""
    connection.setblocking(False)
    try:
        connection.recv(1)
    except (BlockingIOError, ssl.SSLWantReadError):
        return True
    except OSError:
        return False
    return False


def _compute_remaining(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _discard(task: asyncio.Future[Answer] | asyncio.Future[bytes]) -> None:
    if not task.cancel() and not task.cancelled():
        # asyncio logs a failure that no code asks for.
        task.exception()


Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class AsyncTransport:
    """For the tasks of one event loop."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._idle: deque[Stream] = deque()

    async def send(self, request: Request) -> Answer:
        """Raises OSError; TimeoutError is one."""
        if request.delay > 0:
            await asyncio.sleep(request.delay)
        # Until Python 3.11 wait_for returns the answer to a caller that was canceled at the same time.
        sending = asyncio.ensure_future(self._send(request))
        try:
            done, _ = await asyncio.wait({sending}, timeout=request.timeout)
            if not done:
                raise TimeoutError
            return sending.result()
        finally:
            _discard(sending)

    def close(self) -> None:
        while self._idle:
            self._idle.pop()[1].close()

    async def _send(self, request: Request) -> Answer:
        while self._idle:
            try:
                return await self._exchange(self._idle.pop(), request)
            except OSError:
                # See Transport.send.
                continue
        return await self._exchange(await self._connect(), request)

    async def _connect(self) -> Stream:
        address = self.address
        if address.path is not None:
            return await asyncio.open_unix_connection(address.path)
        return await asyncio.open_connection(address.host, address.port, ssl=address.secure)

    async def _exchange(self, stream: Stream, request: Request) -> Answer:
        reader, writer = stream
        answer: Answer | None = None
        first = asyncio.ensure_future(reader.read(CHUNK_BYTES))
        try:
            # One turn of the loop reads what arrived before.
            if (await asyncio.wait({first}, timeout=0))[0]:
                raise BrokenAnswer("the connection has bytes that no request asked for")
            writer.write(self.address.encode(request))
            await writer.drain()
            parser = AnswerParser()
            answer = parser.feed(await first)
            while answer is None:
                answer = parser.feed(await reader.read(CHUNK_BYTES))
            return answer
        finally:
            _discard(first)
            if answer is not None and answer.keeps_open:
                self._idle.append(stream)
            else:
                writer.close()
