"""Measures facecrop-server and thumbor in turn with wrk, compares the sizes of their responses, and writes a page.

Cold requests use new images. Size requests ask for other sizes of known images, whose face positions are cached. Warm
requests repeat the same few URLs. Both servers use one folder, one key, libthumbor's URLs, and a cache in a folder. wrk
shares their processors.
"""

import argparse
import datetime
import io
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from libthumbor import CryptoURL
from PIL import Image

from compare.environment import environment
from compare.markdown import prose
from server.pictures import copies
from server.servers import KEY, Facecrop, Server, Thumbor

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SIGNER = CryptoURL(key=KEY)
CONNECTIONS = 32


def main() -> None:
    parser = argparse.ArgumentParser(prog="compare-server", description=__doc__)
    parser.add_argument("pictures", type=pathlib.Path, help="a folder of images")
    parser.add_argument("--seconds", type=int, default=60, help="for each part (60)")
    parser.add_argument("--count", type=int, default=12_000, help="images of the cold part (12,000)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=REPOSITORY / ".build") as folder:
        work = pathlib.Path(folder)
        names = copies(options.pictures, work / "pictures", options.count, {".jpg", ".jpeg"})
        portrait = REPOSITORY / "Tests/Fixtures/astronaut.jpg"
        (work / "pictures/astronaut.jpg").write_bytes(portrait.read_bytes())
        results = {}
        for kind, program in (
            (Thumbor, REPOSITORY / ".build/compare/bin/thumbor"),
            (Facecrop, REPOSITORY / "Server/.build/release/facecrop-server"),
        ):
            own = work / kind.__name__
            own.mkdir()
            with kind(program, work / "pictures", own) as server:
                print(f"{server.name}", flush=True)
                results[kind] = {"sizes of the list": sizes(server), **parts(server, names, work, options.seconds)}
    said = environment(str(REPOSITORY / "Server/.build/release/facecrop-server"), tools=False)
    text = page(results, said, options)
    target = REPOSITORY / "Benchmarks/runs" / datetime.date.today().isoformat() / "server"
    target.mkdir(parents=True, exist_ok=True)
    (target / "README.md").write_text(text)
    raw = {"environment": said, "servers": {kind.__name__: parts for kind, parts in results.items()}}
    (target / "raw.json").write_text(json.dumps(raw, indent=1) + "\n")
    print(text)


LIST = [
    {"width": 300, "height": 200},
    {"width": 300, "height": 200, "smart": True},
    {"width": 300, "smart": True},
    {"height": 200, "smart": True},
    {"width": 301, "height": 199, "halign": "left", "valign": "top"},
    {"width": 199, "height": 301, "halign": "right", "valign": "bottom"},
    {"width": 600, "height": 700, "smart": True},
    {"width": 1000, "height": 10, "smart": True},
    {"width": 700},
    {"fit_in": True, "width": 300, "height": 400},
    {"fit_in": True, "width": 900, "height": 900},
    {"full_fit_in": True, "width": 300, "height": 400},
    {"width": 300, "height": 300, "smart": True, "filters": ["quality(70)", "format(webp)"]},
    {"width": 600, "height": 600, "filters": ["no_upscale()"]},
    {"crop": ((10, 20), (310, 420))},
    {"crop": ((10, 20), (310, 420)), "width": 150},
    {"crop": ((10, 20), (9000, 420)), "width": 100, "height": 100, "halign": "left"},
    {"crop": ((0, 0), (200, 400)), "adaptive_fit_in": True, "width": 300, "height": 200},
    {"crop": ((0, 0), (400, 200)), "adaptive_full_fit_in": True, "width": 90, "height": 300},
    {"crop": ((0, 0), (400, 200)), "adaptive_fit_in": True, "width": 90, "height": 30},
    {"width": 300, "height": 200, "filters": ["strip_exif()", "strip_icc()"]},
    {},
]


def sizes(server: Server) -> list[tuple[int, int]]:
    found = []
    for wanted in LIST:
        data = server.get(SIGNER.generate(image_url="astronaut.jpg", **wanted))
        with Image.open(io.BytesIO(data)) as picture:
            found.append(picture.size)
    return found


def url(name: str, width: int, height: int) -> str:
    return SIGNER.generate(image_url=name, width=width, height=height, smart=True)


def parts(server: Server, names: list[str], work: pathlib.Path, seconds: int) -> dict[str, dict[str, float]]:
    cold = [url(name, 300, 300) for name in names]
    known = names[-200:]
    for name in known:
        server.get(url(name, 300, 300))
    others = [url(name, 40 + size, 50 + size) for size in range(240) for name in known]
    return {
        # Without the last 200, which are known.
        "cold": measure(server, cold[:-200], work, seconds),
        "sizes": measure(server, others, work, seconds),
        "warm": measure(server, [url(name, 300, 300) for name in known[:32]], work, seconds),
    }


def measure(server: Server, paths: list[str], work: pathlib.Path, seconds: int) -> dict[str, float]:
    (work / "paths").write_text("".join(f"{path}\n" for path in paths))
    command = ["wrk", "-t2", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout=60s", "--latency"]
    command += ["-s", REPOSITORY / "Benchmarks/server/urls.lua", server.base, "--", work / "paths"]
    memory, done = [server.resident_bytes()], threading.Event()

    def watch() -> None:
        while not done.wait(0.5):
            memory.append(server.resident_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    before = server.processor_seconds()
    try:
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        used = server.processor_seconds() - before
    finally:
        done.set()
        watcher.join()
    if run.returncode:
        sys.exit(f"compare-server: wrk failed: {run.stdout}{run.stderr}")
    values = {name: float(value) for name, value in re.findall(r"^(\w+) ([\d.]+)$", run.stdout, re.MULTILINE)}
    if values["answers"] > len(paths) and len(paths) > 1_000:
        print(f"  (all {len(paths)} images were requested, and then again)")
    time.sleep(1)
    row = {
        "rate": values["answers"] / values["seconds"],
        "p50": values["p50"],
        "p99": values["p99"],
        "processor": 1000 * used / max(values["answers"], 1),
        "memory": statistics.median(memory) / (1 << 20),
        "peak": max(memory) / (1 << 20),
        "wrong": values["wrong"] + values["broken"],
    }
    print("  " + ", ".join(f"{name} {value:.1f}" for name, value in row.items()), flush=True)
    return row


def page(results: dict, said: dict, options: argparse.Namespace) -> str:
    theirs, ours = results[Thumbor], results[Facecrop]
    lines = [
        f"# Beside thumbor, {datetime.date.today().isoformat()}",
        "",
        prose(
            f"Made by `make compare-server` on {said['processors']} × {said['processor']} with {said['system']}.",
            f"Each part takes {options.seconds} s, with wrk on {CONNECTIONS} connections and the same processors.",
            f"The {options.count} files are all different, made from those of a folder.",
            "Responses have 300 × 300 pixels, `smart`.",
            "Memory is that of all processes of a server (PSS), sampled twice a second.",
        ),
        "",
        f"| | | {Thumbor.name} | {Facecrop.name} | |",
        "|---|---|---:|---:|---:|",
    ]
    for part, told in (
        ("cold", "new images"),
        ("sizes", "other sizes of known images"),
        ("warm", "the same URLs again"),
    ):
        for name, label in (
            ("rate", "responses per second"),
            ("p50", "p50, ms"),
            ("p99", "p99, ms"),
            ("processor", "processor time per response, ms"),
            ("memory", "memory, median, MiB"),
            ("peak", "memory, maximum, MiB"),
            ("wrong", "missing or wrong responses"),
        ):
            one, other = theirs[part][name], ours[part][name]
            ratio = f"{other / one:.2f}" if one else ""
            lines.append(f"| {told if name == 'rate' else ''} | {label} | {one:.1f} | {other:.1f} | {ratio} |")
    lines.append("")
    same = 0
    for wanted, one, other in zip(LIST, theirs["sizes of the list"], ours["sizes of the list"], strict=True):
        same += one == other
        if one != other:
            lines.append(f"- Different sizes of `{wanted}`: {one} and {other}.")
    lines.append(
        prose(f"For {same} of {len(LIST)} options of a list of libthumbor's, both servers return the same size.")
    )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
