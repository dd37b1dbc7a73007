"""Loads a server with little disk and many idle connections, for an hour; `make soak-scarce`.

The cache folder is a file system of 1 MiB. 2,000 clients hold connections open without a request. A collector reads the
log, which is a pipe of JSON lines. Meanwhile, four clients request avatars of the sample portrait. Every response must
be an image, and every request a line in the log. No idle connection may be closed. Memory must stay flat, the cache
must go on working, and 99 of 100 requests of /health must take less than 100 ms.

The script mounts the file system in a namespace of its own, which ends with it.
"""

import argparse
import asyncio
import json
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import random
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from typing import IO

from program import Clients, Judge, Program, growth, metrics, signed

PORTRAIT = pathlib.Path(__file__).resolve().parents[2] / "Tests/Fixtures/astronaut.jpg"
KEY = "the key of a load"
CLIENTS = 4
PICTURES = 500
HEALTH = 0.1
"""The longest time in seconds for the 99th percentile of /health."""


def own_mounts() -> None:
    """Starts the script again in a namespace, in which it may mount; a user who is not root gets one, too."""
    if os.environ.get("FACECROP_OWN_MOUNTS") == "1":
        return
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    command = ["unshare", "--mount", "--propagation", "private", *user, sys.executable, *sys.argv]
    os.execvpe(command[0], command, os.environ | {"FACECROP_OWN_MOUNTS": "1"})


def probe(port: int, pipe: multiprocessing.connection.Connection) -> None:
    """Requests /health ten times a second on new connections, and sends the time of each response in seconds."""
    while not pipe.poll(0.1):
        begin = time.perf_counter()
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: load\r\nConnection: close\r\n\r\n")
            answer = b""
            while data := connection.recv(4096):
                answer += data
        assert answer.startswith(b"HTTP/1.1 200"), answer
        pipe.send(time.perf_counter() - begin)


class Collector:
    """Reads the log from a pipe, as collectors of logs do."""

    def __init__(self, pipe: IO[str]) -> None:
        self._pipe = pipe
        self.requests = 0
        self.levels: Counter = Counter()
        self.faults: list[str] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for text in self._pipe:
            try:
                line = json.loads(text)
            except ValueError:
                self.faults.append(text)
                continue
            self.levels[line["level"]] += 1
            self.requests += "status" in line
            if line["level"] in {"error", "critical"}:
                self.faults.append(text)

    def end(self) -> None:
        self._thread.join(30)


class Load:
    """Clients that wait for each response to one of twenty URLs. Every other request replaces the oldest of them."""

    def __init__(self, port: int, pause: float) -> None:
        self._clients = Clients(port)
        self._pause = pause
        self._recent: deque = deque(maxlen=20)
        self.counts: Counter = Counter()

    async def run(self, end: float) -> None:
        async def client() -> None:
            while time.monotonic() < end:
                await self._one()
                await asyncio.sleep(self._pause)

        await asyncio.gather(*(client() for _ in range(CLIENTS)))

    async def _one(self) -> None:
        if not self._recent or random.random() < 0.5:
            query = f"src={random.randrange(PICTURES)}.jpg"
            self._recent.append(signed(KEY, f"/crop/avatar/{random.randrange(64, 400)}.jpg", query))
        path = random.choice(self._recent)
        try:
            status, _ = await self._clients.ask(f"GET {path} HTTP/1.1\r\nHost: load\r\n\r\n".encode())
            self.counts[status] += 1
        except Exception as error:
            self.counts[type(error).__name__] += 1


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[int(len(times) * share)] if times else float("nan")


def used(disk: pathlib.Path) -> float:
    """Returns the share of the file system that is in use."""
    facts = os.statvfs(disk)
    return 1 - facts.f_bavail / facts.f_blocks


async def watch(
    program: Program, health: multiprocessing.connection.Connection, disk: pathlib.Path, seconds: float
) -> list[dict]:
    """Returns a row for each minute."""
    rows: list[dict] = []
    begin = time.monotonic()
    step = min(60.0, seconds / 12)
    memory: list[float] = []
    times: list[float] = []
    hits = (await metrics(program.port))['facecrop_cache_hits_total{cache="folder"}']
    while time.monotonic() < begin + seconds:
        await asyncio.sleep(1)
        memory.append(program.memory())
        while health.poll():
            times.append(health.recv())
        last = time.monotonic()
        if last < begin + step * (len(rows) + 1):
            continue
        found = await metrics(program.port)
        now = found['facecrop_cache_hits_total{cache="folder"}']
        rows.append(
            {
                "second": round(last - begin),
                "memory": sum(memory) / len(memory),
                "most": max(memory),
                "health": times,
                "hits": now - hits,
                "used": used(disk),
                "errors": found["facecrop_cache_errors_total"],
                "connections": found["facecrop_connections"],
                "descriptors": program.descriptors(),
            }
        )
        row = rows[-1]
        print(
            f"{row['second']:5} s: {row['memory']:.1f} MiB, at most {row['most']:.1f}; /health p50 "
            f"{1e3 * percentile(times, 0.5):.1f} ms, p99 {1e3 * percentile(times, 0.99):.1f} ms; "
            f"{row['hits']:.0f} hits in the cache folder ({row['used']:.0%} full), {row['errors']:.0f} errors; "
            f"{row['connections']:.0f} connections, {row['descriptors']} descriptors",
            flush=True,
        )
        hits, memory, times = now, [], []
    return rows


def is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


async def soak(options: argparse.Namespace, work: pathlib.Path, judge: Judge) -> list[dict]:
    photos, disk = work / "photos", work / "disk"
    for folder in (photos, disk):
        folder.mkdir()
    for number in range(PICTURES):
        (photos / f"{number}.jpg").write_bytes(PORTRAIT.read_bytes() + b"%d" % number)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1M,mode=700", "tmpfs", disk], check=True)
    reading, writing = os.pipe()
    settings = ["--folder", photos, "--cache-folder", disk, "--cache-memory", "0", "--log-format", "json"]
    settings += ["--connections", options.idle + 500, "--client-connections", 0]
    settings += ["--idle-timeout", options.seconds + 600]
    with os.fdopen(writing, "w") as pipe:
        program = Program(options.program, settings, pipe, KEY)
    idle: list[socket.socket] = []
    try:
        collector = Collector(os.fdopen(reading))
        idle = [socket.create_connection(("127.0.0.1", program.port), timeout=10) for _ in range(options.idle)]
        here, there = multiprocessing.Pipe()
        prober = multiprocessing.get_context("spawn").Process(target=probe, args=(program.port, there), daemon=True)
        prober.start()
        load = Load(program.port, options.pause)
        _, rows = await asyncio.gather(
            load.run(time.monotonic() + options.seconds), watch(program, here, disk, options.seconds)
        )
        here.send("end")
        prober.join(30)
        left = sum(map(is_open, idle))
        found = await metrics(program.port)
        status = program.end()
        collector.end()
    finally:
        program.process.kill()
        for connection in idle:
            connection.close()
        subprocess.run(["umount", "-l", disk], check=False)
    judge(set(load.counts) == {200}, f"every response is an image: {dict(load.counts)}")
    judge(left == options.idle, f"{left} of {options.idle} idle connections are still open")
    grown = growth([row["memory"] for row in rows])
    judge(grown < 0.03, f"memory in the last third is {grown:+.1%} of what it was in the first")
    times = [one for row in rows for one in row["health"]]
    judge(
        percentile(times, 0.99) < HEALTH,
        f"/health p50 {1e3 * percentile(times, 0.5):.1f} ms, p99 {1e3 * percentile(times, 0.99):.1f} ms, at most "
        f"{1e3 * max(times):.1f} ms, of {len(times)} requests (p99 below {1e3 * HEALTH:.0f} ms)",
    )
    judge(all(row["hits"] > 0 for row in rows), "the cache folder was used in every minute")
    judge(max(row["used"] for row in rows) > 0.9, "its file system was full")
    judge(found["facecrop_cache_errors_total"] == 0, f"{found['facecrop_cache_errors_total']:.0f} errors of the cache")
    judge(status == 0, f"the server ended with {status}")
    logged = f"{collector.requests} lines of {load.counts.total()} requests"
    judge(collector.requests == load.counts.total(), f"the log has {logged}")
    judge(
        not collector.faults, f"all lines are JSON, and no error: {dict(collector.levels)} {collector.faults[:3] or ''}"
    )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="scarce", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=3_600)
    parser.add_argument("--idle", type=int, default=2_000, help="idle connections (2,000)")
    parser.add_argument("--pause", type=float, default=0, help="seconds between a client's requests (0)")
    parser.add_argument("--json", type=pathlib.Path, help="where the minutes are written, too")
    options = parser.parse_args()
    own_mounts()
    random.seed(1)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    judge = Judge()
    with tempfile.TemporaryDirectory() as folder:
        rows = asyncio.run(soak(options, pathlib.Path(folder), judge))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(1 if judge.failures else 0)


if __name__ == "__main__":
    main()
