import contextlib
import os
import pathlib
import re
import select
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
# Another build may be named.
PROGRAM = pathlib.Path(os.environ.get("FACECROP_SERVER") or REPOSITORY / "Server/.build/debug/facecrop-server")


class Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body


class Server:
    """A running server."""

    def __init__(self, environment: dict[str, str], arguments: tuple[str, ...], shell: str | None = None) -> None:
        """Starts the server, with the shell script `shell` if it is set."""
        command = [*(["bash", "-c", shell] if shell else []), PROGRAM, "--port=0", *arguments]
        self.process = subprocess.Popen(
            [str(word) for word in command], env=os.environ | environment, stderr=subprocess.PIPE, text=True
        )
        self.log = ""
        deadline = time.monotonic() + 30
        while not (found := re.search(r"listening on 127\.0\.0\.1:(\d+)", self.log)):
            assert time.monotonic() < deadline, self.log
            assert self.process.poll() is None, self.log
            self._read(0.1)
        self.port = int(found[1])

    def _read(self, seconds: float) -> None:
        assert self.process.stderr is not None
        if select.select([self.process.stderr], [], [], seconds)[0]:
            self.log += os.read(self.process.stderr.fileno(), 1 << 16).decode(errors="replace")

    def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return Answer(response.status, dict(response.headers), response.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, dict(error.headers), error.read())

    def resident(self) -> int:
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found
        return int(found[1]) * 1024

    def stop(self) -> int:
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(30)
        self.process.kill()
        return self.process.wait()


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    running: list[Server] = []

    def start(*arguments: str, shell: str | None = None, **environment: str) -> Server:
        variables = {f"FACECROP_{name.upper()}": value for name, value in environment.items()}
        running.append(Server(variables, arguments, shell))
        return running[-1]

    yield start
    assert all(server.stop() == 0 for server in running)


@pytest.fixture
def portrait() -> bytes:
    return (REPOSITORY / "Tests/Fixtures/astronaut.jpg").read_bytes()
