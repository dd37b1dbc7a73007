"""Drives the example server and judges it.

1. Saturation: wrk on 64 connections (pictures and 10 % garbage), and beside it clients that hang up in the middle, 5 % of all.
   Only expected answers, memory flat after ten seconds, nothing left behind, every hang-up counted.
2. Latency: requests of the same mix come at random times (Poisson), at 80 % of the rate of step 1, whether or not the server
   keeps up; each is timed from the moment at which it was due.
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
        head = f"POST /avatar?size=256 HTTP/1.1\r\nHost: load\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body

    def picture(self):
        self.number += 1
        return random.choice(self.pictures) + b"python %d" % self.number

    def body(self):
        return b"garbage" if random.random() < GARBAGE else self.picture()

    async def answer(self, body):
        """The status of the answer, once all of it is there."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(self.request(body))
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(re.search(rb"(?i)content-length: (\d+)", head)[1]))
            return int(head.split(b" ", 2)[1])
        finally:
            writer.transport.abort()

    async def hang_up(self):
        """Sends a part or all of a request and leaves after a while; whether that was before the answer."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        data = self.request(self.picture())
        if random.random() < 0.3:
            data = data[: random.randrange(200, len(data))]
        writer.write(data)
        try:
            await asyncio.wait_for(reader.read(1), random.uniform(0.01, 0.3))
            return False
        except asyncio.TimeoutError:
            return True
        finally:
            writer.close()

    async def metrics(self):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(b"GET /metrics HTTP/1.1\r\nHost: load\r\nConnection: close\r\n\r\n")
        text = (await reader.read()).decode()
        writer.close()
        return {name: float(value) for name, value in re.findall(r"^(avatar\S+) (\S+)\r?$", text, re.M)}

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
    return int(metrics.get(f'avatar_requests_total{{route="/avatar",status="{code}"}}', 0))


async def wrk(server, folder, seconds):
    lua = pathlib.Path(__file__).with_name("requests.lua")
    process = await asyncio.create_subprocess_exec(
        "wrk", "-t2", "-c64", f"-d{seconds}s", "--timeout", "20s", "-s", str(lua),
        f"http://127.0.0.1:{server.port}", "--", *map(str, folder), stdout=subprocess.PIPE)
    text = (await process.communicate())[0].decode()
    statuses = {int(code): int(count) for code, count in re.findall(r"^status (\d+) (\d+)", text, re.M)}
    return statuses, int(re.search(r"^errors (\d+)", text, re.M)[1]), float(re.search(r"^seconds (\S+)", text, re.M)[1])


async def saturate(server, folder, seconds):
    samples, counts = [], {"sent": 0, "left": 0}
    load = asyncio.create_task(wrk(server, folder, seconds))

    async def sample():
        while not load.done():
            samples.append(server.resident())
            await asyncio.sleep(1)

    async def leave():
        # As many as make a twentieth of what is answered, going by the server's own count.
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
    (statuses, errors, duration), _, _ = await asyncio.gather(load, sample(), leave())
    processor = (server.processor_seconds() - processor) / duration
    for _ in range(100):
        after = await server.metrics()
        left = {name: after[name] for name in (
            "avatar_decodes_running", "avatar_queue_waiting", "avatar_reserved_bytes", "avatar_body_bytes")}
        left["in flight"] = after["avatar_requests_in_flight"] - 1
        if not any(left.values()):
            break
        await asyncio.sleep(0.1)
    change = {name: after[name] - before.get(name, 0) for name in after}
    rate = (statuses.get(200, 0) + statuses.get(415, 0)) / duration

    print(f"\nsaturation, 64 connections for {duration:.0f} s")
    print(f"        answers by status: {statuses}; {rate:.1f}/s answered otherwise than by 429; {processor:.2f} processors")
    judge(set(statuses) <= {200, 415, 429} and statuses.get(200, 0) > 0, "only 200, 415 and 429")
    judge(errors == 0, f"{errors} errors of sockets or timeouts")
    settled, end = samples[10:20], samples[-10:]
    growth = sum(end) / len(end) / (sum(settled) / len(settled)) - 1 if settled else float("nan")
    print(f"        resident memory: {samples[min(10, len(samples) - 1)]:.0f} MiB after 10 s, {samples[-1]:.0f} at the end, "
          f"at most {max(samples):.0f}")
    judge(growth < 0.1, f"memory is flat: {growth:+.1%} from seconds 10 to 20 to the last ten")
    print(f"        hang-ups: {counts['sent']} clients, {counts['left']} of them before their answer; "
          f"{status_of(change, 499)} counted as 499; {change['avatar_decodes_cancelled_total']:.0f} decodes canceled")
    # A client that leaves in the same moment as its answer comes may be counted either way; so are connections that wrk drops
    # when its time is over.
    judge(status_of(change, 499) >= 0.9 * counts["left"] > 0, "hang-ups are counted")
    judge(change["avatar_decodes_cancelled_total"] > 0, "decodes of those that left are stopped")
    judge(not any(left.values()), f"nothing is left: {left}")
    return rate


async def open_loop(server, rate, seconds):
    latencies, statuses, tasks = [], {}, []
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
        tasks.append(asyncio.create_task(server.hang_up() if random.random() < HANG_UPS else one(due)))
    await asyncio.gather(*tasks)
    latencies.sort()
    p50, p90, p99 = (latencies[int(len(latencies) * share)] for share in (0.5, 0.9, 0.99))
    print(f"\nopen loop, {rate:.1f} requests/s for {seconds} s")
    print(f"        answers by status: {statuses}")
    print(f"        p50 {p50 * 1e3:.0f} ms, p90 {p90 * 1e3:.0f} ms, p99 {p99 * 1e3:.0f} ms, "
          f"slowest {latencies[-1] * 1e3:.0f} ms, of {len(latencies)} avatars")
    judge(set(statuses) <= {200, 415, 429}, "only 200, 415 and 429")
    refused = statuses.get(429, 0) / sum(statuses.values())
    judge(refused < 0.01, f"{refused:.2%} refused")
    judge(p99 < 5 * p50, f"p99 is {p99 / p50:.1f} times p50")


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
    rate = await saturate(server, folder, options.seconds)
    await open_loop(server, 0.8 * rate, options.seconds)
    print("load of the machine after:", pathlib.Path("/proc/loadavg").read_text().strip())
    sys.exit(1 if failures else 0)


asyncio.run(main())
