"""Parts that the load tests share: the server's process, a pool of connections, and judgments."""

import asyncio
import base64
import hashlib
import hmac
import pathlib
import re
import sys
import time
from collections import deque
from typing import IO

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests"))
from started import Started

PATIENCE = 30
"""Seconds that a client waits for a response."""
IDLE = 5
"""Seconds after which a client closes a connection that nobody uses; the server does so after ten."""


def signed(key: str, path: str, query: str) -> str:
    code = hmac.new(key.encode(), f"{path}?{query}".encode(), hashlib.sha256).digest()
    return f"{path}?{query}&sig={base64.urlsafe_b64encode(code).decode().rstrip('=')}"


class Program(Started):
    """The server in a separate process."""

    def __init__(self, program: pathlib.Path, options: list, log: IO, key: str) -> None:
        """Starts it with a signing key; its log goes to the file or pipe `log`."""
        super().__init__([program, "--port", "0", *options], {"FACECROP_SIGNING_KEY": key}, log=log)


class Clients:
    """A pool of persistent connections."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: deque = deque()

    async def ask(self, request: bytes) -> tuple[int, str]:
        """Returns the status and the ETag of the complete response."""
        async with asyncio.timeout(PATIENCE):
            reader, writer = await self._connection()
            try:
                writer.write(request)
                head = await reader.readuntil(b"\r\n\r\n")
                status = int(head.split(b" ", 2)[1])
                length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
                await reader.readexactly(int(length[1]) if length and status != 304 else 0)
            except BaseException:
                writer.transport.abort()
                raise
        if re.search(rb"(?i)\r\nconnection: *close", head):
            writer.close()
        else:
            self._idle.append((time.monotonic(), reader, writer))
        tag = re.search(rb"(?i)\r\netag: *(\S+)", head)
        return status, tag[1].decode() if tag else ""

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        now = time.monotonic()
        while self._idle and now - self._idle[0][0] > IDLE:
            self._idle.popleft()[2].close()
        while self._idle:
            _, reader, writer = self._idle.pop()
            if not writer.is_closing() and not reader.at_eof():
                return reader, writer
        return await asyncio.open_connection("127.0.0.1", self._port)


async def metrics(port: int) -> dict[str, float]:
    """Returns the server's metrics by their names and labels."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: load\r\nConnection: close\r\n\r\n")
    text = (await reader.read()).decode()
    writer.close()
    return {name: float(value) for name, value in re.findall(r"^([a-z]\S*) (\S+)\r?$", text, re.M)}


def growth(memory: list[float]) -> float:
    """Returns the growth from the first third to the last, without the first rows, in which caches fill."""
    third = max(len(memory) // 3, 1)
    early, late = memory[third // 2 : third // 2 + third], memory[-third:]
    return sum(late) / len(late) / (sum(early) / len(early)) - 1


class Judge:
    """Prints whether each requirement is met."""

    def __init__(self) -> None:
        self.failures: list[str] = []

    def __call__(self, holds: bool, what: str) -> None:
        print(("ok      " if holds else "FAILED  ") + what, flush=True)
        if not holds:
            self.failures.append(what)
