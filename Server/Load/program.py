"""Parts that the load tests share: the server's process, a pool of connections, and judgments."""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from collections import deque
from typing import IO

PATIENCE = 30
"""Seconds that a client waits for a response."""
IDLE = 5
"""Seconds after which a client closes a connection that nobody uses; the server does so after ten."""


def signed(key: str, path: str, query: str) -> str:
    code = hmac.new(key.encode(), f"{path}?{query}".encode(), hashlib.sha256).digest()
    return f"{path}?{query}&sig={base64.urlsafe_b64encode(code).decode().rstrip('=')}"


class Program:
    """The server in a separate process."""

    def __init__(self, program: pathlib.Path, options: list, log: IO, key: str) -> None:
        """Starts it with a signing key; its log goes to the file or pipe `log`."""
        self.process = subprocess.Popen(
            [str(word) for word in (program, "--port", "0", *options)],
            env=os.environ | {"FACECROP_SIGNING_KEY": key},
            stderr=log,
        )
        self.port = self._port()

    def _port(self) -> int:
        """Returns the port of the server's socket, from the kernel."""
        for _ in range(100):
            time.sleep(0.1)
            sockets = set()
            with contextlib.suppress(OSError):
                for link in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
                    sockets.update(re.findall(r"socket:\[(\d+)\]", os.readlink(link)))
            for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in sockets:
                    return int(fields[1].split(":")[1], 16)
        self.process.kill()
        sys.exit("the server does not start")

    def memory(self) -> float:
        """Returns the MiB of its process, with a share of shared memory."""
        text = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        return int(re.search(r"^Pss:\s+(\d+)", text, re.M)[1]) / 1024

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def processor_seconds(self) -> float:
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


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
