"""Runs both servers as an operator would on this machine, with one folder of images and one key."""

import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from typing import Self

KEY = "a key that both of them have"
_TICKS = os.sysconf("SC_CLK_TCK")

_THUMBOR = """
SECURITY_KEY = {key!r}
ALLOW_UNSAFE_URL = False
DETECTORS = ['thumbor.detectors.face_detector']
LOADER = 'thumbor.loaders.file_loader'
FILE_LOADER_ROOT_PATH = {pictures!r}
STORAGE = 'thumbor.storages.file_storage'
FILE_STORAGE_ROOT_PATH = {work!r} + '/storage'
RESULT_STORAGE = 'thumbor.result_storages.file_storage'
RESULT_STORAGE_FILE_STORAGE_ROOT_PATH = {work!r} + '/results'
AUTO_WEBP = False
MAX_AGE = 86400
"""


class Server:
    """A server for a folder's images; a context manager. Its processes are counted together."""

    name: str

    def __init__(self, command: list[str], environment: dict[str, str], health: str, port: int) -> None:
        self._command = command
        self._environment = environment
        self._health = health
        self.base = f"http://127.0.0.1:{port}"

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command,
            env=os.environ | self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for _ in range(300):
            with contextlib.suppress(urllib.error.URLError, ConnectionError):
                self.get(self._health)
                return self
            time.sleep(0.1)
        self._kill()
        raise SystemExit(f"compare-server: {self.name} does not start")

    def __exit__(self, *_: object) -> None:
        self._kill()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(self.base + path, timeout=60) as response:
            return response.read()

    def processor_seconds(self) -> float:
        return sum(ticks for _, ticks in self._processes()) / _TICKS

    def resident_bytes(self) -> int:
        """Returns the memory of all processes; shared pages count once for each, unlike in a container's limit."""
        total = 0
        for process, _ in self._processes():
            with contextlib.suppress(OSError):
                status = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
                total += int(re.search(r"^Pss:\s+(\d+) kB", status, re.MULTILINE)[1]) * 1024
        return total

    def _processes(self) -> list[tuple[int, int]]:
        found = []
        for folder in pathlib.Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            with contextlib.suppress(OSError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == self._process.pid:  # The session.
                    found.append((int(folder.name), int(fields[11]) + int(fields[12])))
        return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Thumbor(Server):
    name = "thumbor 7.8, one process a processor"

    def __init__(self, program: pathlib.Path, pictures: pathlib.Path, work: pathlib.Path) -> None:
        configuration = work / "thumbor.conf"
        configuration.write_text(_THUMBOR.format(key=KEY, pictures=str(pictures), work=str(work)))
        port = free_port()
        words = [program, "--ip", "127.0.0.1", "--port", port, "--conf", configuration, "-l", "critical"]
        super().__init__([*map(str, words), f"--processes={os.cpu_count()}"], {}, "/healthcheck", port)


class Facecrop(Server):
    name = "facecrop-server"

    def __init__(self, program: pathlib.Path, pictures: pathlib.Path, work: pathlib.Path) -> None:
        port = free_port()
        words = [
            program,
            "--port",
            port,
            "--folder",
            pictures,
            "--cache-folder",
            work / "cache",
            "--log-level",
            "error",
        ]
        super().__init__([str(word) for word in words], {"FACECROP_THUMBOR_KEY": KEY}, "/health", port)
