"""Measures three tasks that people have, with the tools that they would take: the table of the README.

- an avatar of a photo of 12 megapixels
- avatars of 200 web images, on two processors
- one request to a server, for an image that it does not know yet

Time is wall time. Memory is the peak of a process (resident), or of several processes together (PSS), measured in a run
that is not timed. An image counts as found if the tool reports a face, and the annotations have one.
"""

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import threading
import time
from collections.abc import Callable

from libthumbor import CryptoURL

from compare import thumbor
from compare.measure import peak_memory
from compare.tools import SIDE, VENV, Tool
from server.servers import KEY, Facecrop, Server, Thumbor

COUNT, JOBS = 200, 2
ENDINGS = {".jpg", ".jpeg", ".png", ".webp"}
SIGNER = CryptoURL(key=KEY)
# The name of MediaPipe's program in results.
MEDIAPIPE = "MediaPipe with Pillow"


@dataclasses.dataclass(frozen=True)
class Programs:
    """The programs of a machine."""

    facecrop: str
    server: str
    # Python with the packages of mediapipe.txt.
    mediapipe: str

    def mediapipe_crop(self, folder: pathlib.Path, *images: str) -> list[str]:
        return [self.mediapipe, str(pathlib.Path(__file__).with_name("mediapipe_crop.py")), str(folder), *images]


@dataclasses.dataclass
class Result:
    """The figures of one tool for one task."""

    milliseconds: float
    mebibytes: float
    # The images in which the tool reports a face; None for a tool that looks for none.
    reported: set[str] | None
    # The images that have a face.
    faces: set[str]

    def json(self) -> dict:
        return {
            "milliseconds": round(self.milliseconds, 2),
            "mebibytes": round(self.mebibytes, 1),
            "found": None if self.reported is None else len(self.reported & self.faces),
            "faces": len(self.faces),
            # Images without a face in which the tool reports one.
            "wrong": None if self.reported is None else len(self.reported - self.faces),
        }


def measure(
    programs: Programs, tools: list[Tool], portrait: pathlib.Path, images: pathlib.Path, rounds: int, work: pathlib.Path
) -> list[dict]:
    """Returns a task with its `results` by tool, three times. `images` has annotations.json."""
    chosen, faces = annotated(images)
    return [
        {
            "task": "avatar",
            "title": "an avatar of a 12 MP photo",
            "results": avatar(programs, tools, portrait, rounds, work),
        },
        {
            "task": "images",
            "title": f"{len(chosen)} web images to avatars, per image",
            "results": avatars(programs, tools, chosen, faces, rounds, work),
        },
        {
            "task": "request",
            "title": "a server's request for a web image",
            "results": requests(programs, chosen, faces, work),
        },
    ]


def annotated(folder: pathlib.Path) -> tuple[list[pathlib.Path], set[str]]:
    """Returns images at equal distances in the list, and the names of those with a face."""
    entries = json.loads((folder / "annotations.json").read_text())
    entries = [entry for entry in entries if pathlib.Path(entry["file"]).suffix.lower() in ENDINGS]
    if len(entries) < COUNT:
        raise SystemExit(
            f"compare: {folder} has {len(entries)} annotated images, and {COUNT} are needed (name another)"
        )
    entries = [entries[number * len(entries) // COUNT] for number in range(COUNT)]
    return [folder.resolve() / entry["file"] for entry in entries], {
        pathlib.Path(entry["file"]).name for entry in entries if entry["faces"]
    }


def avatar(
    programs: Programs, tools: list[Tool], portrait: pathlib.Path, rounds: int, work: pathlib.Path
) -> dict[str, dict]:
    made = fresh(work / "avatar")
    # thumbor reads one folder only.
    source = made / "photo.jpg"
    shutil.copyfile(portrait, source)
    wanted = {"facecrop", "autocrop", "vipsthumbnail"}
    commands = {
        tool.name: tool.command(str(source), str(made / f"{tool.name}.jpg")) for tool in tools if tool.name in wanted
    }
    commands[MEDIAPIPE] = programs.mediapipe_crop(made, str(source))
    strict = {tool.name: list(tool.strict) for tool in tools}
    looks = {tool.name: tool.looks_for_faces for tool in tools}
    results, faces = {}, {source.name}
    seconds = in_turn({name: timed(command) for name, command in commands.items()}, rounds)
    for name, command in commands.items():
        found = subprocess.run([*command, *strict.get(name, [])], capture_output=True, check=False).returncode == 0
        if name == MEDIAPIPE:
            found = (made / "photo.jpg.jpg").exists()
        results[name] = Result(
            1e3 * statistics.median(seconds[name]),
            peak_memory(command) / (1 << 20),
            (faces if found else set()) if looks.get(name, True) else None,
            faces,
        )
    with thumbor.Server(made) as running:
        running.request(source.name)
        times = [running.cost(source.name, 1)[1] for _ in range(rounds)]
        found = faces if running.has_found_a_face(source.name) else set()
        results[thumbor.NAME] = Result(1e3 * statistics.median(times), running.peak_memory() / (1 << 20), found, faces)
    return {name: result.json() for name, result in results.items()}


def avatars(
    programs: Programs, tools: list[Tool], images: list[pathlib.Path], faces: set[str], rounds: int, work: pathlib.Path
) -> dict[str, dict]:
    names, made = work / "names", work / "avatars"
    names.write_text("".join(f"{image}\0" for image in images))
    each = ["xargs", "-0", "-a", str(names), "-P", str(JOBS)]
    autocrop = next(tool for tool in tools if tool.name == "autocrop")
    several = ["-n", str(len(images) // (2 * JOBS))]
    commands = {
        "facecrop": [
            programs.facecrop, "batch", "-d", str(made), "--preset", "avatar", "--size", str(SIDE), "--jobs", str(JOBS),
            "--format", "jpeg", "--name", "{name}.jpg", "--progress", "none", *map(str, images),
        ],
        # Its output is named after the number that the shell counts, since it takes one image.
        "autocrop": [
            *each, "-I", "{}", "sh", "-c", 'exec "$0" -w "$1" -H "$1" -o "$2/${3##*/}.jpg" "$3"',
            autocrop.command("", "")[0], str(SIDE), str(made), "{}",
        ],
        MEDIAPIPE: [*each, *several, *programs.mediapipe_crop(made)],
        "vipsthumbnail": [
            *each, *several, "vipsthumbnail", "--size", f"{SIDE}x{SIDE}", "--smartcrop", "attention",
            "-o", f"{made}/%s.jpg[Q=85]",
        ],
    }  # fmt: skip
    results = {}
    seconds = in_turn({name: timed(command, lambda: fresh(made)) for name, command in commands.items()}, rounds)
    for name, command in commands.items():
        fresh(made)
        memory = peak(command)
        found = {path.name.removesuffix(".jpg") for path in made.glob("*.jpg")}
        per_image = 1e3 * statistics.median(seconds[name]) / len(images)
        results[name] = Result(per_image, memory, None if name == "vipsthumbnail" else found, faces)

    folder = fresh(work / "served")
    for image in images:
        shutil.copyfile(image, folder / image.name)
    with thumbor.Server(folder, processes=JOBS) as running:

        def all_of_them() -> float:
            start = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(JOBS) as clients:
                list(clients.map(lambda image: tried(lambda: running.request(image.name)), images))
            return time.monotonic() - start

        all_of_them()
        times = [all_of_them() for _ in range(max(rounds // 2, 1))]
        with Watch(running.process) as watch:
            all_of_them()
        found = {image.name for image in images if tried(lambda image=image: running.has_found_a_face(image.name))}
        results[thumbor.NAME] = Result(1e3 * statistics.median(times) / len(images), watch.peak, found, faces)
    return {name: result.json() for name, result in results.items()}


def requests(programs: Programs, images: list[pathlib.Path], faces: set[str], work: pathlib.Path) -> dict[str, dict]:
    """Requests each image once, one after the other, from servers without a cached image."""
    folder = fresh(work / "requested")
    for image in images:
        shutil.copyfile(image, folder / image.name)
    results = {}
    for name, kind, program in (
        ("facecrop", Facecrop, programs.server),
        (thumbor.NAME, Thumbor, str(VENV / "thumbor")),
    ):
        with kind(pathlib.Path(program), folder, fresh(work / name)) as running:
            # The first request of a process loads its model.
            running.get(url(images[0].name, 64))
            times, memory = [], running.resident_bytes()
            for image in images[1:]:
                start = time.monotonic()
                if tried(lambda image=image: running.get(url(image.name, SIDE))):
                    times.append(time.monotonic() - start)
                memory = max(memory, running.resident_bytes())
            found = {image.name for image in images if tried(lambda image=image: reports_a_face(running, image.name))}
            results[name] = Result(1e3 * statistics.median(times), memory / (1 << 20), found, faces)
    return {name: result.json() for name, result in results.items()}


def url(name: str, side: int, meta: bool = False) -> str:
    return SIGNER.generate(image_url=name, width=side, height=side, smart=True, meta=meta)


def reports_a_face(running: Server, name: str) -> bool:
    facts = json.loads(running.get(url(name, SIDE, meta=True)))
    points = facts.get("thumbor", {}).get("focal_points", [])
    return bool(facts.get("faces")) or any("Face" in point.get("origin", "") for point in points)


def tried(call: Callable[[], object]) -> object:
    """Returns the call's value, or None for an image that a server refuses."""
    try:
        return call()
    except OSError:
        return None


def fresh(folder: pathlib.Path) -> pathlib.Path:
    """Makes an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def timed(command: list[str], prepare: Callable[[], object] = lambda: None) -> Callable[[], float]:
    """Returns a function that runs a command, and returns its wall time in seconds."""

    def run() -> float:
        prepare()
        start = time.monotonic()
        # Tools exit with an error for images without a face.
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return time.monotonic() - start

    return run


def in_turn(runs: dict[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Runs all in turn, so that a change of the machine's speed affects all. The first round does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            taken = run()
            if number > 0:
                seconds[name].append(taken)
    return seconds


def peak(command: list[str]) -> float:
    """Returns the peak of the memory of a command and its processes, in MiB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    with Watch(process) as watch:
        process.wait()
    return watch.peak


class Watch:
    """Samples the memory of the processes of a session. `peak` is in MiB; shared pages count once."""

    def __init__(self, process: subprocess.Popen) -> None:
        self.peak = 0.0
        self._session = process.pid
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _sample(self) -> None:
        while True:
            self.peak = max(self.peak, self._now() / 1024)
            if self._ended.wait(0.002):
                return

    def _now(self) -> int:
        """Returns KiB."""
        total = 0
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                fields = pathlib.Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == self._session:
                    lines = pathlib.Path(f"/proc/{name}/smaps_rollup").read_text().splitlines()
                    total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
            except (OSError, IndexError, StopIteration):
                continue
        return total
