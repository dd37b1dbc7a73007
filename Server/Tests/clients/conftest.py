import os
import pathlib
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from started import Started

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
# Another build may be named.
PROGRAM = pathlib.Path(os.environ.get("FACECROP_SERVER") or REPOSITORY / "Server/.build/debug/facecrop-server")


class Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body


class Server(Started):
    """A running server."""

    def __init__(self, environment: dict[str, str], arguments: tuple[str, ...], shell: str | None = None) -> None:
        """Starts the server, with the shell script `shell` if it is set."""
        super().__init__([*(["bash", "-c", shell] if shell else []), PROGRAM, "--port=0", *arguments], environment)

    def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return Answer(response.status, dict(response.headers), response.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, dict(error.headers), error.read())


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    running: list[Server] = []

    def start(*arguments: str, shell: str | None = None, **environment: str) -> Server:
        variables = {f"FACECROP_{name.upper()}": value for name, value in environment.items()}
        running.append(Server(variables, arguments, shell))
        return running[-1]

    yield start
    assert all(server.end() == 0 for server in running)


@pytest.fixture
def portrait() -> bytes:
    return (REPOSITORY / "Tests/Fixtures/astronaut.jpg").read_bytes()
