"""Loads the server and checks its behavior.

1. Saturation: wrk on 64 connections, with images and 10 % garbage. Meanwhile 5 % of all clients hang up. Only expected
   statuses appear, memory is flat after ten seconds, decodes of gone clients stop, and nothing is left over.
2. Latency, in three rounds, since other work on the machine varies. Each measures the throughput, then sends requests
   at random times (Poisson) at 80 % of it. Latency counts from the time a request was due. In the median round the
   slowest hundredth take less than five times the median; hang-ups are counted.
"""

import argparse
import asyncio
import pathlib
import random
import re
import resource
import subprocess
import sys
import time

HANG_UPS = 0.05
GARBAGE = 0.1


class Server:
    def __init__(self, port, pid, pictures):
        self.port, self.pid = port, pid
        self.pictures = [path.read_bytes() for path in pictures]
        self.number = 0

    def request(self, body):
        head = f"POST /crop/avatar/256.jpg HTTP/1.1\r\nHost: load\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body

    def picture(self):
        self.number += 1
        return random.choice(self.pictures) + b"python %d" % self.number

    def body(self):
        return b"garbage" if random.random() < GARBAGE else self.picture()

    async def answer(self, body):
        """Returns the status of the complete response."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(self.request(body))
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(re.search(rb"(?i)content-length: (\d+)", head)[1]))
            return int(head.split(b" ", 2)[1])
        finally:
            writer.transport.abort()

    async def hang_up(self):
        """Sends a part or all of a request and leaves after a while; returns whether it left before the response."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        data = self.request(self.picture())
        if random.random() < 0.3:
            data = data[: random.randrange(200, len(data))]
        writer.write(data)
        try:
            await asyncio.wait_for(reader.read(1), 10 ** random.uniform(-2, 0.5))
            return False
        except TimeoutError:
            return True
        finally:
            writer.close()

    async def metrics(self):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(b"GET /metrics HTTP/1.1\r\nHost: load\r\nConnection: close\r\n\r\n")
        text = (await reader.read()).decode()
        writer.close()
        return {name: float(value) for name, value in re.findall(r"^(facecrop\S+) (\S+)\r?$", text, re.M)}

    def resident(self):
        pages = int(pathlib.Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize() / 2**20

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100


failures = []


def judge(holds, what):
    print(("ok      " if holds else "FAILED  ") + what)
    if not holds:
        failures.append(what)


def status_of(metrics, code):
    return int(metrics.get(f'facecrop_requests_total{{route="/crop/**",status="{code}"}}', 0))


async def wrk(server, folder, seconds):
    lua = pathlib.Path(__file__).with_name("requests.lua")
    process = await asyncio.create_subprocess_exec(
        "wrk",
        "-t2",
        "-c64",
        f"-d{seconds}s",
        "--timeout",
        "20s",
        "-s",
        str(lua),
        f"http://127.0.0.1:{server.port}",
        "--",
        *map(str, folder),
        stdout=subprocess.PIPE,
    )
    text = (await process.communicate())[0].decode()
    statuses = {int(code): int(count) for code, count in re.findall(r"^status (\d+) (\d+)", text, re.M)}
    errors = int(re.search(r"^errors (\d+)", text, re.M)[1])
    duration = float(re.search(r"^seconds (\S+)", text, re.M)[1])
    return statuses, errors, duration, (statuses.get(200, 0) + statuses.get(415, 0)) / duration


async def settled(server):
    """Returns the metrics once nothing runs any more, and any remains otherwise."""
    for _ in range(100):
        metrics = await server.metrics()
        left = {
            name: int(metrics[name])
            for name in (
                "facecrop_decodes_running",
                "facecrop_queue_waiting",
                "facecrop_reserved_bytes",
                "facecrop_body_bytes",
            )
        }
        left["requests in flight"] = int(metrics["facecrop_requests_in_flight"]) - 1
        if not any(left.values()):
            break
        await asyncio.sleep(0.1)
    return metrics, {name: value for name, value in left.items() if value}


def difference(after, before):
    return {name: value - before.get(name, 0) for name, value in after.items()}


def judge_end(change, left):
    """Checks that each decode was answered or cancelled, since no two images are equal."""
    begun, stopped = int(change["facecrop_decodes_total"]), int(change["facecrop_decodes_cancelled_total"])
    late = begun - stopped - status_of(change, 200)
    print(
        f"        decodes: {begun} begun, {status_of(change, 200)} answered, {stopped} stopped, "
        f"{late} at their end when the client left"
    )
    judge(stopped > 0 and late <= 2 + 0.1 * stopped, "the decodes of those that left are stopped")
    judge(not left, f"nothing is left {left or ''}")


async def saturate(server, folder, seconds):
    samples, counts = [], {"sent": 0, "left": 0}
    load = asyncio.create_task(wrk(server, folder, seconds))

    async def sample():
        while not load.done():
            samples.append(server.resident())
            await asyncio.sleep(1)

    async def leave():
        # Enough to be a twentieth of the responses, by the server's own count.
        begin = await server.metrics()
        while not load.done():
            now = await server.metrics()
            done = sum(status_of(now, code) - status_of(begin, code) for code in (200, 415))
            due = int(done * HANG_UPS / (1 - HANG_UPS)) - counts["sent"]
            counts["sent"] += due
            outcomes = await asyncio.gather(*(server.hang_up() for _ in range(due)))
            counts["left"] += sum(outcomes)
            await asyncio.sleep(0.2)

    before, processor = await server.metrics(), server.processor_seconds()
    (statuses, errors, duration, rate), _, _ = await asyncio.gather(load, sample(), leave())
    processor = (server.processor_seconds() - processor) / duration
    after, left = await settled(server)
    change = difference(after, before)

    print(f"\nsaturation, 64 connections for {duration:.0f} s")
    print(
        f"        answers by status: {statuses}; {rate:.1f}/s answered otherwise than by 429; "
        f"{processor:.2f} processors"
    )
    judge(set(statuses) <= {200, 415, 429} and statuses.get(200, 0) > 0, "only 200, 415 and 429")
    judge(errors == 0, f"{errors} errors of sockets or timeouts")
    early, end = samples[10:20], samples[-10:]
    growth = sum(end) / len(end) / (sum(early) / len(early)) - 1 if early else float("nan")
    print(
        f"        resident memory: {samples[min(10, len(samples) - 1)]:.0f} MiB after 10 s, "
        f"{samples[-1]:.0f} at the end, "
        f"at most {max(samples):.0f}"
    )
    judge(growth < 0.1, f"memory is flat: {growth:+.1%} from seconds 10 to 20 to the last ten")
    print(
        f"        hang-ups: {counts['sent']} clients, {counts['left']} of them before their answer; "
        f"{status_of(change, 499)} counted as 499, wrk's own at its end among them"
    )
    judge_end(change, left)


async def open_loop(server, rate, seconds):
    """Returns the slowest hundredth as a multiple of the median, and the share of refused requests."""
    latencies, statuses, tasks, hang_ups = [], {}, [], []
    before, _ = await settled(server)
    start = time.monotonic()
    due = start

    async def one(due):
        body = server.body()
        try:
            status = await server.answer(body)
        except Exception as error:
            status = type(error).__name__
        statuses[status] = statuses.get(status, 0) + 1
        if status == 200:
            latencies.append(time.monotonic() - due)

    while due < start + seconds:
        due += random.expovariate(rate)
        await asyncio.sleep(max(0, due - time.monotonic()))
        if random.random() < HANG_UPS:
            hang_ups.append(asyncio.create_task(server.hang_up()))
        else:
            tasks.append(asyncio.create_task(one(due)))
    await asyncio.gather(*tasks)
    gone = sum(await asyncio.gather(*hang_ups))
    latencies.sort()
    p50, p90, p99 = (latencies[int(len(latencies) * share)] for share in (0.5, 0.9, 0.99))
    print(f"\nopen loop, {rate:.1f} requests/s for {seconds} s")
    print(f"        answers by status: {statuses}")
    print(
        f"        p50 {p50 * 1e3:.0f} ms, p90 {p90 * 1e3:.0f} ms, p99 {p99 * 1e3:.0f} ms, "
        f"slowest {latencies[-1] * 1e3:.0f} ms, of {len(latencies)} avatars"
    )
    judge(set(statuses) <= {200, 415, 429}, "only 200, 415 and 429")
    after, left = await settled(server)
    change = difference(after, before)
    counted = status_of(change, 499)
    # A client that leaves just as its response arrives may be counted either way.
    judge(
        0.9 * gone <= counted <= len(hang_ups),
        f"{len(hang_ups)} hung up, {gone} before their answer; {counted} counted",
    )
    judge_end(change, left)
    return p99 / p50, statuses.get(429, 0) / sum(statuses.values())


async def main():
    parser = argparse.ArgumentParser()
    for name in ("port", "pid", "seconds"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--pictures", type=pathlib.Path, required=True)
    options = parser.parse_args()
    random.seed(1)
    folder = sorted(options.pictures.iterdir())
    server = Server(options.port, options.pid, folder)
    print("load of the machine before:", pathlib.Path("/proc/loadavg").read_text().strip())
    for picture in server.pictures:
        judge(await server.answer(picture + b"x") == 200, f"a picture of {len(picture)} bytes is answered")
    await saturate(server, folder, options.seconds)
    rounds = []
    for _ in range(3):
        *_, rate = await wrk(server, folder, options.seconds // 6)
        rounds.append(await open_loop(server, 0.8 * rate, options.seconds // 2))
    ratios, refused = (sorted(values) for values in zip(*rounds, strict=True))
    print("\nof three rounds")
    judge(ratios[1] < 5, "p99 is " + ", ".join(f"{ratio:.1f}" for ratio in ratios) + " times p50")
    judge(refused[1] < 0.01, "refused: " + ", ".join(f"{share:.2%}" for share in refused))
    print("load of the machine after:", pathlib.Path("/proc/loadavg").read_text().strip())
    sys.exit(1 if failures else 0)


asyncio.run(main())
