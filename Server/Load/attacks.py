"""Sends attack files among good images; `make attack-server`.

Good images come at random times (Poisson), at a quarter of the rate that the server reaches, so that one of two
processors would do. In the first part they are alone. In the second, as many attackers as processors also
send attack files, each as soon as the last is answered. Other attackers ask for a large response and do not read it,
send bodies byte by byte, and write thousands of unknown names into a query. All of them have another address.
Latency counts from the time a request was due. No good request may be lost, and the slowest hundredth may take at most
twice as long as without attacks. /health has to respond within a second.
"""

import argparse
import asyncio
import contextlib
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import random
import re
import sys
import tempfile
import time
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests"))
from started import Started

PATIENCE = 60
"""Seconds that a client waits for a response."""
PIECE = 64 << 10
"""Bytes of a body to send at once."""
CLIENTS = 4
"""Clients that measure the throughput."""
FILES, READING, WRITING, NAMING = (f"127.0.0.{number}" for number in range(2, 6))
"""The addresses of attackers: each kind has one, because the server limits each client."""
READERS, WRITERS, NAMERS = 16, 1_100, 4
"""Attackers of the other kinds."""


async def send(writer: asyncio.StreamWriter, head: bytes, body: bytes) -> None:
    """Sends a request in pieces, so that a large body does not keep the others waiting."""
    with contextlib.suppress(OSError):  # The server may refuse the rest.
        writer.write(head)
        for start in range(0, len(body), PIECE):
            writer.write(body[start : start + PIECE])
            await writer.drain()


class Server(Started):
    """A running server, and the requests to it."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path) -> None:
        options = ["--port=0", "--unsafe", "--cache-memory=0", "--log-level=info", f"--folder={folder}"]
        super().__init__([program, *options])

    async def connected(self, address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))

    async def status(self, body: bytes, address: str = "127.0.0.1", target: str = "") -> int | None:
        """Returns the status of the whole response to an upload, or to a GET of `target`; None without one."""
        try:
            async with asyncio.timeout(PATIENCE):
                reader, writer = await self.connected(address)
                line = f"GET {target}" if target else "POST /crop/avatar/128.jpg"
                head = f"{line} HTTP/1.1\r\nHost: load\r\nContent-Length: {len(body)}\r\n\r\n"
                sending = asyncio.create_task(send(writer, head.encode(), body))
                try:
                    answer = await reader.readuntil(b"\r\n\r\n")
                    await reader.readexactly(int(re.search(rb"(?i)content-length: (\d+)", answer)[1]))
                    return int(answer.split(b" ", 2)[1])
                finally:
                    sending.cancel()
                    writer.transport.abort()
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            return None

    async def slow(self, line: str, address: str, seconds: float, piece: bytes) -> int | None:
        """Reads nothing for some seconds, or sends a piece in each until there is a response; returns the status."""
        try:
            reader, writer = await self.connected(address)
            try:
                length = 1_000_000 if piece else 0
                writer.write(f"{line} HTTP/1.1\r\nHost: load\r\nContent-Length: {length}\r\n\r\n".encode())
                answer = b""
                for _ in range(int(seconds) if piece else 0):
                    writer.write(piece)
                    with contextlib.suppress(TimeoutError):
                        answer = await asyncio.wait_for(reader.readline(), 1)
                        break
                if not piece:
                    await asyncio.sleep(seconds)
                    answer = await asyncio.wait_for(reader.readline(), 1)
                return int(answer.split(b" ", 2)[1])
            finally:
                writer.transport.abort()
        except (OSError, TimeoutError, IndexError, ValueError):
            return None

    def peak(self) -> int:
        """Returns the largest resident memory in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) // 1024


class Part:
    """The responses of one part."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.good: Counter[int | None] = Counter()
        self.attacks: Counter[int | None] = Counter()
        self.latencies: list[float] = []
        self.health: list[float] = []

    def quantile(self, share: float) -> float:
        return sorted(self.latencies)[min(int(share * len(self.latencies)), len(self.latencies) - 1)]

    def row(self) -> str:
        def shown(counts: Counter[int | None]) -> str:
            return ", ".join(f"{count} × {status or 'lost'}" for status, count in counts.most_common()) or "none"

        milliseconds = " | ".join(f"{1000 * self.quantile(share):.0f}" for share in (0.5, 0.95, 0.99))
        return f"| {self.title} | {shown(self.good)} | {milliseconds} | {shown(self.attacks)} |"


async def throughput(server: Server, good: list[bytes], seconds: float) -> float:
    """Returns the good requests per second that a few clients get."""
    end = time.monotonic() + seconds
    count = 0

    async def client() -> None:
        nonlocal count
        while time.monotonic() < end:
            await server.status(random.choice(good))
            count += 1

    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return count / seconds


async def run(server: Server, part: Part, good: list[bytes], attacks: list[bytes], rate: float, seconds: float) -> None:
    end = time.monotonic() + seconds

    async def request(due: float) -> None:
        part.good[await server.status(random.choice(good))] += 1
        part.latencies.append(time.monotonic() - due)

    async def health() -> None:
        while time.monotonic() < end:
            start = time.monotonic()
            is_good = await server.status(b"", target="/health") == 200
            part.health.append(time.monotonic() - start if is_good else PATIENCE)
            await asyncio.sleep(1)

    results, sender = multiprocessing.Pipe(duplex=False)
    attackers = multiprocessing.get_context("fork").Process(target=attack, args=(server, attacks, seconds, sender))
    if attacks:
        attackers.start()
    watch = asyncio.create_task(health())
    requests = []
    due = time.monotonic()
    while due < end:
        await asyncio.sleep(max(0, due - time.monotonic()))
        requests.append(asyncio.create_task(request(due)))
        due += random.expovariate(rate)
    await asyncio.gather(*requests, watch)
    if attacks:
        part.attacks += await asyncio.to_thread(results.recv)
        attackers.join()


def attack(
    server: Server, attacks: list[bytes], seconds: float, results: multiprocessing.connection.Connection
) -> None:
    """Runs the attackers, and sends the counts of statuses.

    Real attackers have processors of their own. So this process only takes what the server and the good clients leave.
    """
    os.nice(19)
    counts: Counter[int | None] = Counter()
    end = time.monotonic() + seconds

    processors = len(os.sched_getaffinity(0))

    async def files(first: int) -> None:
        number = first
        while time.monotonic() < end:
            counts[await server.status(attacks[number % len(attacks)], FILES)] += 1
            number += processors

    async def slow(line: str, address: str, piece: bytes = b"") -> None:
        await asyncio.sleep(random.uniform(0, min(10, seconds / 4)))
        while (left := end - time.monotonic()) > 0:
            begin = time.monotonic()
            counts[await server.slow(line, address, min(left, 30), piece)] += 1
            await asyncio.sleep(max(0, begin + min(left, 10) - time.monotonic()))

    async def names() -> None:
        target = "/crop/avatar/64.jpg?src=large&" + "&".join(f"{number}=" for number in range(2_700))
        while time.monotonic() < end:
            counts[await server.status(b"", NAMING, target)] += 1
            await asyncio.sleep(0.02)

    async def everyone() -> None:
        await asyncio.gather(
            *(files(number) for number in range(processors)),
            *(slow("GET /blur?src=large&format=png", READING) for _ in range(READERS)),
            *(slow("POST /blur?", WRITING, b"x") for _ in range(WRITERS)),
            *(names() for _ in range(NAMERS)),
        )

    asyncio.run(everyone())
    results.send(counts)


async def load(server: Server, good: list[bytes], attacks: list[bytes], seconds: float) -> list[Part]:
    # A folder of images may also hold a list of them, or a file that no server takes.
    taken = [body for body in good if await server.status(body) == 200]
    if not taken:
        sys.exit("attacks: the server takes no file of the folder of good images")
    rate = await throughput(server, taken, min(10, seconds / 4)) / 4
    left = len(good) - len(taken)
    print(f"{len(taken)} good images ({left} files left out), {len(attacks)} attack files", flush=True)
    print(f"{rate:.1f} good requests per second", flush=True)
    parts = [Part("alone"), Part("with attacks")]
    for part, files in zip(parts, ([], attacks), strict=True):
        await run(server, part, taken, files, rate, seconds / 2)
    return parts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("attacks", type=pathlib.Path, nargs="+", help="folders of attack files")
    parser.add_argument("--good", type=pathlib.Path, required=True, help="a folder of good images")
    parser.add_argument("--seconds", type=float, default=600)
    options = parser.parse_args()

    def files(folders: list[pathlib.Path]) -> list[bytes]:
        found = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
        return [path.read_bytes() for path in found if path.suffix not in {".c", ".md", ".py"}]

    good, attacks = files([options.good]), files(options.attacks)
    random.seed(1)
    random.shuffle(attacks)
    with tempfile.TemporaryDirectory() as folder:
        # Outside of the server's folder.
        images = pathlib.Path(folder) / "images"
        images.mkdir()
        (images / "large").write_bytes(max(good, key=len))
        server = Server(options.program, images)
        try:
            parts = asyncio.run(load(server, good, attacks, options.seconds))
            peak = server.peak()
            survived = server.process.poll() is None
        finally:
            server.process.kill()
            server.process.wait()
    print("| part | good requests | median, ms | 95 % | 99 % | attacks |\n|---|---|---:|---:|---:|---|")
    for part in parts:
        print(part.row())
    print(f"largest memory of the server: {peak} MiB")
    faults = [f"{part.title}: a good request was lost" for part in parts if set(part.good) != {200}]
    if parts[1].quantile(0.99) > 2 * parts[0].quantile(0.99):
        faults.append("the slowest hundredth took more than twice as long with attacks")
    if max(parts[1].health) > 1:
        faults.append(f"/health took {max(parts[1].health):.1f} s")
    if not survived:
        faults.append("the server ended")
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
