"""Tests the examples that use a running server."""

import base64
import hmac
import json
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable

import pytest
from conftest import REPOSITORY, Server
from started import Started

EXAMPLES = REPOSITORY / "Examples"
KEY = "a key that both of them have"


class Moderation(Started):
    def __init__(self, folder: pathlib.Path, server: Server, key: str) -> None:
        program = EXAMPLES / "Moderation/moderation.py"
        command = [sys.executable, program, folder, f"http://127.0.0.1:{server.port}", 0]
        super().__init__(command, {"FACECROP_SIGNING_KEY": key})

    def post(self, path: str, body: bytes = b"") -> tuple[int, dict]:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{path}", body, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=60) as response:
            return response.read()


@pytest.mark.parametrize("key", ["", KEY])
def test_moderation(start: Callable[..., Server], portrait: bytes, tmp_path: pathlib.Path, key: str) -> None:
    """Nothing is public before a decision, and the hidden face cannot be found any more."""
    server = start("--uploads", signing_key=KEY) if key else start("--uploads", "--unsafe")
    others = [portrait + bytes([number]) for number in range(3)]
    moderation = Moderation(tmp_path, server, key)
    status, first = moderation.post("upload", portrait)
    assert status == 202
    assert moderation.post("upload", portrait) == (202, first)
    ids = [moderation.post("upload", other)[1]["id"] for other in others]
    assert moderation.post("upload", b"no image")[0] == 415
    assert moderation.post(f"publish/{first['id']}") == (409, {"error": "not-taken"})
    with pytest.raises(urllib.error.HTTPError):
        moderation.get(f"public/{first['id']}")

    # The queue outlives its process.
    moderation.process.kill()
    moderation.process.wait()
    moderation = Moderation(tmp_path, server, key)
    try:
        taken = [moderation.post("next")[1] for _ in range(4)]
        assert {image["id"] for image in taken} == {first["id"], *ids}
        assert all([face["number"] for face in image["faces"]] == [1] for image in taken)
        assert moderation.post("next") == (404, {"error": "empty"})
        assert moderation.post(f"publish/{first['id']}")[0] == 200
        assert moderation.post(f"publish/{ids[0]}?except=1")[0] == 200
        assert moderation.post(f"reject/{ids[1]}")[0] == 200
        # A decision that the server refuses changes nothing.
        assert moderation.post(f"publish/{ids[2]}?faces=9")[0] == 422
        assert [path.name for path in (tmp_path / "originals").iterdir()] == [ids[2]]
        assert moderation.post(f"publish/{ids[2]}?mode=solid")[0] == 200
        for name, count in ((first["id"], 0), (ids[0], 1), (ids[2], 0)):
            image = moderation.get(f"public/{name}")
            assert (image == portrait) == (count == 1)
            # With other bytes, the published image is a new upload.
            assert moderation.post("upload", image + b"again")[0] == 202
            assert len(moderation.post("next")[1]["faces"]) == count
        with pytest.raises(urllib.error.HTTPError):
            moderation.get(f"public/{ids[1]}")
        with pytest.raises(urllib.error.HTTPError):
            moderation.get("public/../queue.sqlite")
        # Without the server, an upload fails and waits nowhere.
        server.process.terminate()
        server.process.wait()
        assert moderation.post("upload", portrait + b"9")[0] == 502
        assert moderation.post("next") == (404, {"error": "empty"})
    finally:
        moderation.end()


def thumbors_signature(path: str) -> str:
    return base64.urlsafe_b64encode(hmac.new(KEY.encode(), path.encode(), "sha1").digest()).decode()


def test_a_list_of_thumbor_urls(start: Callable[..., Server], portrait: bytes, tmp_path: pathlib.Path) -> None:
    """The server accepts each new URL, and each part that it does not support is named."""
    urls = [
        ("https://t.example.com/unsafe/debug/trim/-300x200/smart/filters:quality(80):focal(10x10:50x50)/a.jpg", 4),
        ("/unsafe/10x10:300x300/origx200/smart/a.jpg", 2),
        ("/unsafe/30x20/smart/filters:watermark(http://h/w.png,0,0,5):no_upscale():format(gif)/a.jpg", 2),
        ("/unsafe/adaptive-fit-in/30x20/filters:format(webp)/a.jpg", 0),
        (f"/{thumbors_signature('30x20/a.jpg')}/30x20/a.jpg", 0),
        ("no URL", 1),
        # Forged: a signature of another path, and of no path.
        (f"/{thumbors_signature('30x20/a.jpg')}/30x20/b.jpg", 1),
        ("/QkGCh3xFiRldNmYCgOZ8Ajui0ng=/debug/30x20/a.jpg", 1),
    ]
    command = [sys.executable, EXAMPLES / "Migration/thumbor.py", "--key", KEY]
    text = "".join(f"{url}\n" for url, _ in urls)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    losses = done.stderr.splitlines()
    assert len(losses) == sum(count for _, count in urls)
    assert "line 1: focal(10x10:50x50) is lost" in losses
    assert "line 3: watermark(http://h/w.png,0,0,5) is lost" in losses
    assert losses[-2:] == [f"line {number}: a URL whose signature does not match --key is lost" for number in (7, 8)]
    lines = done.stdout.splitlines()
    assert lines[-3:] == ["", "", ""]
    assert len(lines) == len(urls)
    (tmp_path / "a.jpg").write_bytes(portrait)
    server = start(f"--folder={tmp_path}", thumbor_key=KEY)
    for line in lines[:-3]:
        answer = server.get(line.removeprefix("https://t.example.com"))
        assert answer.status == 200, answer.body
