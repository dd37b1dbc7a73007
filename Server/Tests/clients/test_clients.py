"""Tests the server with other projects' client libraries."""

import io
import pathlib
import resource
import socket
import struct
import threading
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterator

import boto3
import pytest
from conftest import Server
from libthumbor import CryptoURL
from moto.server import ThreadedMotoServer
from PIL import Image

KEY = "a key that both of them have"


@pytest.mark.parametrize(
    ("wanted", "size"),
    [
        ({"width": 300, "height": 200}, (300, 200)),
        ({"width": 300, "height": 200, "smart": True}, (300, 200)),
        ({"width": 300, "smart": True}, (300, 300)),
        ({"height": 200, "smart": True}, (200, 200)),
        ({"fit_in": True, "width": 300, "height": 400}, (300, 300)),
        ({"fit_in": True, "width": 900, "height": 900}, (512, 512)),
        ({"full_fit_in": True, "width": 300, "height": 400}, (400, 400)),
        ({"width": 600, "height": 700, "smart": True}, (600, 700)),
        ({"width": 301, "height": 199, "halign": "left", "valign": "bottom"}, (301, 199)),
        ({"width": 300, "height": 300, "filters": ["quality(70)", "format(webp)"]}, (300, 300)),
        ({"crop": ((10, 20), (310, 420))}, (300, 400)),
        ({"crop": ((0, 0), (200, 400)), "adaptive_fit_in": True, "width": 300, "height": 200}, (150, 300)),
        ({}, (512, 512)),
    ],
)
def test_urls_that_libthumbor_signs(
    start: Callable[..., Server], portrait: bytes, tmp_path: pathlib.Path, wanted: dict, size: tuple[int, int]
) -> None:
    (tmp_path / "a b.jpg").write_bytes(portrait)
    server = start(f"--folder={tmp_path}", thumbor_key=KEY)
    for key, status in ((KEY, 200), ("another key of that kind", 403)):
        answer = server.get(CryptoURL(key=key).generate(image_url="a%20b.jpg", **wanted))
        assert answer.status == status, answer.body
        if status == 200:
            with Image.open(io.BytesIO(answer.body)) as picture:
                assert picture.size == size


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str, str]]:
    """Returns the address of a store that checks signatures, and the keys of a user who may read one bucket."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    server = ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host if host != '0.0.0.0' else '127.0.0.1'}:{port}"
    iam = boto3.client("iam", endpoint_url=address, region_name="us-east-1")
    iam.create_user(UserName="reader")
    allowed = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'
    iam.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=allowed)
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    yield address, key["AccessKeyId"], key["SecretAccessKey"]
    server.stop()


def test_pictures_of_a_store(start: Callable[..., Server], store: tuple[str, str, str], portrait: bytes) -> None:
    address, access, secret = store
    s3 = boto3.client("s3", endpoint_url=address, region_name="us-east-1")
    s3.create_bucket(Bucket="photos")
    s3.create_bucket(Bucket="others")
    for name in ("a.jpg", "sub/ü b+c~(1).jpg"):
        s3.put_object(Bucket="photos", Key=name, Body=portrait)
    s3.put_object(Bucket="others", Key="a.jpg", Body=portrait)
    # From here on, botocore's code checks every signature.
    off = urllib.request.Request(f"{address}/moto-api/reset-auth", data=b"0", headers={"Content-Type": "text/plain"})
    urllib.request.urlopen(off)

    options = ["--unsafe", f"--s3-endpoint={address}", "--s3-buckets=photos", f"--s3-access-key={access}"]
    server = start(*options, s3_secret_key=secret)
    for name in ("a.jpg", "sub/%C3%BC%20b%2Bc~%281%29.jpg"):
        answer = server.get(f"/unsafe/64x64/smart/s3://photos/{name}")
        assert answer.status == 200, answer.body
    assert server.get("/unsafe/64x64/s3://photos/none.jpg").status == 404
    assert server.get("/unsafe/64x64/s3://others/a.jpg").status == 403
    assert server.get("/unsafe/64x64/s3://photos/../others/a.jpg").status in (400, 404)
    wrong = start(*options, s3_secret_key="not the key that belongs to it")
    assert wrong.get("/unsafe/64x64/s3://photos/a.jpg").status == 403


def test_ten_thousand_connections(start: Callable[..., Server], portrait: bytes, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.jpg").write_bytes(portrait)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(10_000, hard - 200)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        server = start(f"--folder={tmp_path}", "--unsafe", "--connections=1000", "--idle-timeout=5")
        assert server.get("/unsafe/16x16/a.jpg").status == 200
        before = server.resident()
        idle = []
        for _ in range(count):
            connection = socket.socket()
            connection.setblocking(False)
            connection.connect_ex(("127.0.0.1", server.port))
            idle.append(connection)
        time.sleep(2)
        assert server.resident() - before < 64 << 20
        # Their connections close, and then there is room again.
        deadline = time.monotonic() + 120
        while True:
            try:
                assert server.get("/unsafe/17x17/a.jpg").status == 200
                break
            except OSError:
                assert time.monotonic() < deadline
        for connection in idle:
            connection.close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def bomb(side: int) -> bytes:
    """Returns a PNG with `side` equal pixels on each side, which compresses to a thousandth."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(9)
    row = bytes(1 + 3 * side)
    rows = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_bombs(start: Callable[..., Server], portrait: bytes, tmp_path: pathlib.Path) -> None:
    for side in (7_000, 12_000):
        (tmp_path / f"{side}.png").write_bytes(bomb(side))
    (tmp_path / "a.jpg").write_bytes(portrait)
    server = start(f"--folder={tmp_path}", "--unsafe", "--max-pixels=50000000", "--memory=256MiB")
    statuses: list[int] = []
    threads = [
        threading.Thread(target=lambda n=n: statuses.append(server.get(f"/unsafe/{n}x{n}/smart/7000.png").status))
        for n in range(20, 28)
    ]
    for thread in threads:
        thread.start()
    assert server.get("/unsafe/64x64/smart/12000.png").status == 422
    for thread in threads:
        thread.join()
    assert set(statuses) <= {200, 429, 504}, statuses
    assert server.resident() < 400 << 20
    assert server.get("/unsafe/64x64/smart/a.jpg").status == 200
