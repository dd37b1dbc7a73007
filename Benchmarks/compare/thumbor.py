"""Runs a thumbor server on loopback, and measures its requests."""

import contextlib
import json
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

from compare.tools import SIDE, VENV

NAME = "thumbor"
DOES = "the square around the faces, Haar cascade, one request to a warm server"

# Images come from a folder. Images, faces and results are not cached between requests.
CONFIGURATION = """
DETECTORS = ['thumbor.detectors.face_detector']
LOADER = 'thumbor.loaders.file_loader'
FILE_LOADER_ROOT_PATH = {folder!r}
STORAGE = 'thumbor.storages.no_storage'
RESULT_STORAGE = None
ALLOW_UNSAFE_URL = True
"""


class Server:
    """A server for the images of a folder; a context manager."""

    def __init__(self, folder: pathlib.Path, processes: int = 1):
        self._folder = folder
        self._processes = processes
        self._tick = 1 / os.sysconf("SC_CLK_TCK")

    def __enter__(self) -> Self:
        configuration = self._folder / "thumbor.conf"
        configuration.write_text(CONFIGURATION.format(folder=str(self._folder)))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._base = f"http://127.0.0.1:{port}"
        words = ["--ip", "127.0.0.1", "--port", str(port), "--conf", configuration, "-l", "critical"]
        self.process = subprocess.Popen(
            [VENV / "thumbor", *words, f"--processes={self._processes}"],
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for _ in range(200):
            try:
                self._get("/healthcheck")
                return self
            except urllib.error.URLError:
                time.sleep(0.1)
        self._end(signal.SIGKILL)
        raise SystemExit("compare: thumbor does not start")

    def __exit__(self, *_):
        self._end(signal.SIGTERM)
        self.process.wait()

    def _end(self, how: int):
        """Ends the server with its processes."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, how)

    def request(self, picture: str) -> bytes:
        """Requests the thumbnail of an image in the folder."""
        return self._get(f"/unsafe/{SIDE}x{SIDE}/smart/{picture}")

    def has_found_a_face(self, picture: str) -> bool:
        facts = json.loads(self._get(f"/unsafe/meta/{SIDE}x{SIDE}/smart/{picture}"))
        return any(point["origin"] == "Face Detection" for point in facts["thumbor"]["focal_points"])

    def cost(self, picture: str, requests: int) -> tuple[float, float]:
        """Returns seconds of the server's processor time, all threads, and of wall time per request, over several
        requests.

        The system counts processor time in ticks of 10 ms, so several requests make it precise.
        """
        processor, wall = self._processor_time(), time.monotonic()
        for _ in range(requests):
            self.request(picture)
        return (self._processor_time() - processor) / requests, (time.monotonic() - wall) / requests

    def peak_memory(self) -> int:
        """Returns the peak of the server's resident memory since its start, in bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024

    def _processor_time(self) -> float:
        # Fields 14 and 15 of proc(5), after the name in parentheses: user and system time.
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * self._tick

    def _get(self, path: str) -> bytes:
        with urllib.request.urlopen(self._base + path, timeout=60) as response:
            return response.read()
