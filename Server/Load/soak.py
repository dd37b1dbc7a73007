"""Sends four times as many requests as the server can answer, for an hour; `make soak-server`.

First 32 clients send requests as fast as responses arrive, which measures the throughput. Then requests come at random
times (Poisson) at four times that rate, regardless of the responses. Half are for images without a cached response. The
others are for more sizes of known images, for the same few URLs, for those with an ETag, and a few uploads. A refused
request is not sent again. Only 200, 304, 429 and 503 are allowed, memory must not grow, and nothing may be left over.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import pathlib
import random
import re
import sys
import tempfile
import time
import urllib.parse
from collections import Counter, deque

from program import Clients, Judge, Program, growth, metrics, signed
from server.pictures import copies

KEY = "the key of a load"
ALLOWED = {200, 304, 429, 503}
ANSWERED = {200, 304}
CLIENTS = 32
ENDINGS = {".jpg", ".jpeg", ".png", ".webp"}


class Load:
    """The mix of requests, and their results."""

    def __init__(self, clients: Clients, pictures: pathlib.Path, names: list[str]) -> None:
        self._clients = clients
        self._pictures = pictures
        self._names = itertools.cycle(names)
        self._asked: deque = deque(names[:50], maxlen=50)
        self._warm = [self._url(name) for name in names[:CLIENTS]]
        self._tags: dict[str, str] = {}
        self._uploads = 0
        self.counts: Counter = Counter()
        self.waits: list[float] = []

    async def one(self, due: float | None = None) -> None:
        due = time.monotonic() if due is None else due
        draw = random.random()
        tag, path = "", ""
        if draw < 0.5:
            kind = "new"
            path = self._url(self._next())
        elif draw < 0.7:
            kind = "size"
            path = self._url(random.choice(self._asked), random.randrange(64, 320))
        elif draw < 0.95:
            path = random.choice(self._warm)
            tag = self._tags.get(path, "") if draw < 0.85 else ""
            kind = "tag" if tag else "same"
        else:
            kind = "upload"
        try:
            status, found = await self._clients.ask(self._request(kind, path, tag))
        except Exception as error:
            status, found = type(error).__name__, ""
        self.counts[kind, status] += 1
        if status in ANSWERED:
            self.waits.append(time.monotonic() - due)
        if found and kind in {"same", "tag"}:
            self._tags[path] = found

    def _next(self) -> str:
        name = next(self._names)
        self._asked.append(name)
        return name

    def _url(self, name: str, side: int = 256) -> str:
        return signed(KEY, f"/crop/avatar/{side}.jpg", f"src={urllib.parse.quote(name, safe='')}&no-face=maybe")

    def _request(self, kind: str, path: str, tag: str) -> bytes:
        if kind != "upload":
            line = f"If-None-Match: {tag}\r\n" if tag else ""
            return f"GET {path} HTTP/1.1\r\nHost: load\r\n{line}\r\n".encode()
        self._uploads += 1
        body = (self._pictures / self._next()).read_bytes() + b"upload %d" % self._uploads
        path = signed(KEY, "/crop/avatar/256.jpg", "quality=80")
        return f"POST {path} HTTP/1.1\r\nHost: load\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body

    def taken(self) -> tuple[Counter, list[float]]:
        """Returns the counts since the last call."""
        counts, waits = self.counts, self.waits
        self.counts, self.waits = Counter(), []
        return counts, waits


def by_status(counts: Counter) -> Counter:
    total: Counter = Counter()
    for (_, status), count in counts.items():
        total[status] += count
    return total


async def capacity(load: Load, seconds: float) -> float:
    """Returns the responses per second to clients that wait for each response."""
    end = time.monotonic() + seconds

    async def client() -> None:
        while time.monotonic() < end:
            await load.one()

    load.taken()
    begin = time.monotonic()
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    counts = by_status(load.taken()[0])
    print(f"what it can do, {CLIENTS} clients for {seconds:.0f} s: {dict(counts)}", flush=True)
    return sum(counts[status] for status in ANSWERED) / (time.monotonic() - begin)


async def soak(load: Load, program: Program, rate: float, seconds: float) -> list[dict]:
    """Returns a row for each minute."""
    rows: list[dict] = []
    tasks: set[asyncio.Task] = set()
    begin = due = minute = time.monotonic()
    used = program.processor_seconds()
    memories: list[float] = []
    step = min(60.0, seconds / 12)

    def report() -> None:
        nonlocal minute, used, memories
        now, processor = time.monotonic(), program.processor_seconds()
        counts, waits = load.taken()
        waits.sort()
        statuses = by_status(counts)
        answers = sum(statuses[status] for status in ANSWERED)
        rows.append(
            {
                "second": round(now - begin),
                "statuses": {str(status): count for status, count in sorted(statuses.items(), key=str)},
                "kinds": {f"{kind} {status}": count for (kind, status), count in sorted(counts.items(), key=str)},
                "sent": sum(statuses.values()) / (now - minute),
                "answered": answers / (now - minute),
                "p50": waits[len(waits) // 2] if waits else None,
                "p99": waits[int(len(waits) * 0.99)] if waits else None,
                "memory": sum(memories) / len(memories) if memories else program.memory(),
                "most": max(memories, default=0),
                "descriptors": program.descriptors(),
                "processors": (processor - used) / (now - minute),
            }
        )
        row = rows[-1]
        print(
            f"{row['second']:5} s: {row['sent']:.0f} a second, {row['answered']:.0f} answered; {row['statuses']}; "
            f"{row['memory']:.0f} MiB, at most {row['most']:.0f}; {row['descriptors']} descriptors; "
            f"{row['processors']:.2f} processors; "
            f"p50 {1e3 * (row['p50'] or 0):.0f} ms, p99 {1e3 * (row['p99'] or 0):.0f} ms",
            flush=True,
        )
        minute, used, memories = now, processor, []

    async def watch() -> None:
        while True:
            await asyncio.sleep(1)
            memories.append(program.memory())
            if time.monotonic() - minute >= step:
                report()

    watcher = asyncio.create_task(watch())
    while due < begin + seconds:
        due += random.expovariate(rate)
        # Sends overdue requests at once, and lets others run in between.
        await asyncio.sleep(max(0, due - time.monotonic()))
        task = asyncio.create_task(load.one(due))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    watcher.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watcher
    if time.monotonic() - minute > step / 2:
        report()
    return rows


async def left_behind(port: int) -> dict[str, int]:
    """Returns the remains in the server after the last request."""
    names = ("decodes_running", "headers_running", "queue_waiting", "reserved_bytes", "body_bytes")
    gauges = [f"facecrop_{name}" for name in names]
    left: dict[str, int] = {}
    for _ in range(100):
        found = await metrics(port)
        left = {name: int(found[name]) for name in gauges if found[name]}
        if not left:
            break
        await asyncio.sleep(0.1)
    return left


def judged(rows: list[dict], rate: float, able: float, left: dict[str, int], status: int, errors: list[str]) -> bool:
    judge = Judge()
    total: Counter = Counter()
    for row in rows:
        total.update(row["statuses"])
    judge({*total} <= {str(status) for status in ALLOWED}, f"answers are 200, 304, 429, 503 alone: {dict(total)}")
    sent = sum(total.values()) / rows[-1]["second"]
    judge(sent > 0.95 * rate, f"{sent:.0f} requests a second were sent, {sent / able:.1f} times what it can do")
    grown = growth([row["memory"] for row in rows])
    judge(grown < 0.03, f"memory in the last third is {grown:+.1%} of what it was in the first")
    judge(not left, f"nothing is left behind {left or ''}")
    judge(status == 0, f"the server ended with {status}")
    judge(not errors, f"nothing but warnings is in its log {errors[:3] or ''}")
    return not judge.failures


async def main() -> None:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("pictures", type=pathlib.Path, help="a folder of pictures, each of which has a face")
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=3_600)
    parser.add_argument("--times", type=float, default=4)
    parser.add_argument("--count", type=int, default=8_000, help="different pictures (8,000)")
    parser.add_argument("--json", type=pathlib.Path, help="where the minutes are written, too")
    options = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        names = copies(options.pictures, work / "pictures", options.count, ENDINGS)
        # Small caches, so that responses are evicted all the time.
        settings = ["--folder", work / "pictures", "--cache-folder", work / "cache", "--cache-size", "32MiB"]
        settings += ["--cache-memory", "8MiB", "--log-level", "warning"]
        log = work / "log"
        with log.open("w") as file:
            program = Program(options.program, settings, file, KEY)
        try:
            clients = Clients(program.port)
            load = Load(clients, work / "pictures", names)
            able = await capacity(load, min(60, options.seconds / 6))
            rate = options.times * able
            print(f"{able:.0f} answers a second; now {rate:.0f} requests a second", flush=True)
            rows = await soak(load, program, rate, options.seconds)
            left = await left_behind(program.port)
            status = program.end()
        finally:
            program.process.kill()
        errors = [line for line in log.read_text().splitlines() if re.search(r" (error|critical) ", line)]
    if options.json:
        options.json.write_text(json.dumps({"able": able, "rate": rate, "rows": rows}, indent=1) + "\n")
    sys.exit(0 if judged(rows, rate, able, left, status, errors) else 1)


asyncio.run(main())
