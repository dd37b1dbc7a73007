"""Tests operation: restarts behind nginx, a full disk, many idle connections."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from conftest import PROGRAM, REPOSITORY, Server

NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")


@pytest.fixture
def disk(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Mounts a file system of 1 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1M,mode=700", "tmpfs", folder]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("this user cannot mount a file system")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def metrics(server: Server) -> dict[str, float]:
    lines = server.get("/metrics").body.decode().splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}


def test_a_rolling_restart_loses_no_request(
    start: Callable[..., Server], portrait: bytes, tmp_path: pathlib.Path
) -> None:
    """Replaces two servers behind nginx, one after the other, twice, while clients use persistent connections.

    Half of the clients upload images. nginx sends an upload again only if it is told that it may.
    """
    assert NGINX is not None, "nginx is not installed"
    (tmp_path / "a.jpg").write_bytes(portrait)
    options = (f"--folder={tmp_path}", "--unsafe", "--drain-time=5")

    servers = [start(*options) for _ in range(2)]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    upstreams = "".join(f"server 127.0.0.1:{server.port} max_fails=1 fail_timeout=1s; " for server in servers)
    configuration = tmp_path / "nginx.conf"
    configuration.write_text(f"""
worker_processes 1;
pid {tmp_path}/nginx.pid;
error_log {tmp_path}/error.log;
events {{ worker_connections 1000; }}
http {{
  access_log off;
  client_body_buffer_size 1m;
  client_body_temp_path {tmp_path}/body; proxy_temp_path {tmp_path}/proxy;
  fastcgi_temp_path {tmp_path}/f; uwsgi_temp_path {tmp_path}/u; scgi_temp_path {tmp_path}/s;
  upstream images {{ {upstreams} keepalive 16; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://images; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_next_upstream error timeout non_idempotent;
    }}
  }}
}}
""")
    command = [NGINX, "-c", str(configuration), "-e", f"{tmp_path}/error.log"]
    subprocess.run(command, check=True)
    answers: list[int | str] = []
    is_over = threading.Event()

    def ask(number: int) -> None:
        while not is_over.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            try:
                for _ in range(50):
                    if number % 2 == 0:
                        connection.request("GET", f"/crop/avatar/{64 + number}.jpg?src=a.jpg")
                    else:
                        connection.request("POST", f"/crop/avatar/{64 + number}.jpg", portrait)
                    response = connection.getresponse()
                    response.read()
                    answers.append(response.status)
                    if is_over.is_set():
                        break
            except OSError as error:
                answers.append(repr(error))
            finally:
                connection.close()

    clients = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
    for client in clients:
        client.start()
    try:
        for index in (0, 1, 0, 1):
            time.sleep(1)
            servers[index].process.terminate()
            assert servers[index].process.wait(30) == 0
            # At the same address, which nginx tries again after a second.
            servers[index] = start(*options, f"--port={servers[index].port}")
            time.sleep(1)
        time.sleep(1)
    finally:
        is_over.set()
        for client in clients:
            client.join()
        subprocess.run([*command, "-s", "stop"], check=True)
    assert len(answers) > 500
    assert set(answers) == {200}, {answer: answers.count(answer) for answer in set(answers)}


@contextlib.contextmanager
def proxied(folder: pathlib.Path, block: str) -> Iterator[Callable[..., http.client.HTTPResponse]]:
    """Runs nginx with the block `http`, which listens on PORT. Yields a function that sends a request to it."""
    assert NGINX is not None, "nginx is not installed"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    block = block.replace("PORT", str(port)).replace("/etc/nginx/", f"{REPOSITORY}/Integrations/container/")
    configuration = folder / "nginx.conf"
    # The workers of root's nginx have another user, who cannot enter the folder.
    configuration.write_text(f"""
{"user root;" if os.geteuid() == 0 else ""}
pid {folder}/nginx.pid;
events {{}}
http {{
  access_log off;
  client_body_buffer_size 32m;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  {block}
}}
""")

    def ask(path: str, body: bytes | None = None) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET" if body is None else "POST", path, body)
        return connection.getresponse()

    command = [NGINX, "-c", str(configuration), "-e", f"{folder}/error.log"]
    subprocess.run(command, check=True)
    try:
        yield ask
    finally:
        subprocess.run([*command, "-s", "stop"], check=True)


def test_the_proxy_of_the_readme_publishes_images_only(
    start: Callable[..., Server], portrait: bytes, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "a.jpg").write_bytes(portrait)
    server = start(f"--folder={tmp_path}", "--unsafe")
    page = (REPOSITORY / "Server/README.md").read_text()
    block = re.findall(r"^```nginx\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0]
    upstream, location = block.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}").split("\n\n", 1)
    with proxied(tmp_path, f"{upstream} server {{ listen 127.0.0.1:PORT; {location} }}") as ask:
        for path, status in [
            ("/images/crop/avatar/64.jpg?src=a.jpg", 200),
            ("/images/metrics", 404),
            ("/images//metrics?a=b", 404),
            ("/images/%6detrics/", 404),
            ("/images/a/../health/ready", 404),
            ("/images/health", 404),
        ]:
            response = ask(path)
            assert response.status == status, path
            assert b"facecrop_" not in response.read()
        # nginx answers a body above its limit, which is the server's, in JSON.
        for mebibytes, status in [(0, 200), (2, 200), (20, 413), (25, 413)]:
            response = ask("/images/crop/avatar/64.jpg", portrait + bytes(mebibytes << 20))
            body = response.read()
            assert response.status == status, body
            if status == 413:
                assert json.loads(body)["error"] == "too-large"


def test_the_proxy_of_the_composition_caches_images(
    start: Callable[..., Server], portrait: bytes, tmp_path: pathlib.Path
) -> None:
    """nginx keeps a response as long as its `Cache-Control` allows, and refuses the paths of the server's state."""
    (tmp_path / "a.jpg").write_bytes(portrait)
    server = start(f"--folder={tmp_path}", "--unsafe")
    block = (REPOSITORY / "Integrations/container/nginx.conf").read_text()
    for container, here in {
        "server:8080": f"127.0.0.1:{server.port}",
        "listen 80": "listen 127.0.0.1:PORT",
        "/var/cache/nginx/images": f"{tmp_path}/images",
    }.items():
        assert block.count(container) == 1
        block = block.replace(container, here)
    with proxied(tmp_path, block) as ask:
        bodies = []
        for state in ["MISS", "HIT"]:
            response = ask("/images/crop/avatar/64.jpg?src=a.jpg")
            assert response.status == 200
            assert response.headers["X-Proxy-Cache"] == state
            bodies.append(response.read())
        assert bodies[0] == bodies[1]
        assert metrics(server)["facecrop_decodes_total"] == 1
        for _ in range(2):
            # Uploads are private, and errors are not kept.
            response = ask("/images/crop/avatar/64.jpg", portrait)
            assert response.status == 200
            assert response.headers["X-Proxy-Cache"] != "HIT"
            assert ask("/images/crop/avatar/64.jpg?src=none.jpg").status == 404
            assert ask("/images/metrics").status == 404


def test_a_full_disk_does_not_freeze_the_cache(
    start: Callable[..., Server], portrait: bytes, tmp_path: pathlib.Path, disk: pathlib.Path
) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    for number in range(60):
        (photos / f"{number}.jpg").write_bytes(portrait + str(number).encode())
    server = start(f"--folder={photos}", "--unsafe", f"--cache-folder={disk}", "--cache-memory=0")
    for number in range(60):
        for _ in range(2):
            assert server.get(f"/crop/avatar/400.png?src={number}.jpg").status == 200
    found = metrics(server)
    # The disk served each second request, although it only has room for some files.
    assert found['facecrop_cache_hits_total{cache="folder"}'] == 60
    assert found["facecrop_cache_errors_total"] == 0
    # When others fill the disk, responses are still made, errors are counted, and one line reports it.
    with contextlib.suppress(OSError), (disk / "foreign").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    for path in disk.glob("*.answer"):
        path.unlink()
    with contextlib.suppress(OSError), (disk / "more").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    for number in range(5):
        assert server.get(f"/crop/avatar/300.png?src={number}.jpg").status == 200
    assert metrics(server)["facecrop_cache_errors_total"] == 5
    for _ in range(100):
        if "keeps no responses" in server.log:
            break
        time.sleep(0.1)
    assert server.log.count("keeps no responses") == 1


def test_idle_connections_do_not_hold_up_health(start: Callable[..., Server]) -> None:
    """The server raises systemd's soft limit of 1,024 descriptors."""
    command = 'ulimit -S -n 1024 && exec "$0" "$@"'
    server = start("--unsafe", "--uploads", shell=command)
    idle = []
    try:
        for _ in range(1100):
            idle.append(socket.create_connection(("127.0.0.1", server.port), timeout=10))
        begin = time.monotonic()
        for _ in range(20):
            assert server.get("/health").status == 200
        assert time.monotonic() - begin < 2, "a health check took 100 ms"
        found = metrics(server)
        assert found["facecrop_connections"] <= 1025
        assert found["process_max_fds"] > 1024
    finally:
        for connection in idle:
            connection.close()


def test_few_descriptors_leave_some_for_files(
    start: Callable[..., Server], portrait: bytes, tmp_path: pathlib.Path
) -> None:
    """More clients than descriptors: the server logs that they limit the connections, and still opens images."""
    (tmp_path / "a.jpg").write_bytes(portrait)
    server = start("--unsafe", f"--folder={tmp_path}", shell='ulimit -n 300 && exec "$0" "$@"')
    idle = []
    try:
        for _ in range(400):
            idle.append(socket.create_connection(("127.0.0.1", server.port), timeout=10))
        for side in range(64, 74):
            assert server.get("/health").status == 200
            assert server.get(f"/crop/avatar/{side}.jpg?src=a.jpg").status == 200
        assert metrics(server)["facecrop_connections"] <= 173
    finally:
        for connection in idle:
            connection.close()
    assert "file descriptors limit the connections" in server.log


def test_few_descriptors_are_an_error() -> None:
    """A limit that leaves no descriptors for files ends the server at its start."""
    command = f'ulimit -n 32 && exec "{PROGRAM}" --unsafe --port=0'
    few = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert few.returncode == 64
    assert "ulimit -n" in few.stderr


def test_a_check_creates_no_cache_folder(tmp_path: pathlib.Path) -> None:
    """An administrator's check would leave a folder that the server's user cannot write."""

    def run(folder: pathlib.Path, *more: str) -> subprocess.CompletedProcess[str]:
        command = [PROGRAM, "--unsafe", "--uploads", "--port=0", f"--cache-folder={folder}", *more]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert run(tmp_path / "new" / "cache", "--check").returncode == 0
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    folders = [tmp_path, tmp_path / "file" / "cache"]
    if os.geteuid() != 0:
        (tmp_path / "closed").mkdir(0o555)
        folders += [tmp_path / "closed", tmp_path / "closed" / "cache"]
    for folder in folders:
        for more in (["--check"], []):
            refused = run(folder, *more)
            assert refused.returncode == 64
            assert "the cache folder cannot be used" in refused.stderr


def test_a_server_out_of_descriptors_recovers(
    start: Callable[..., Server], portrait: bytes, tmp_path: pathlib.Path
) -> None:
    """Neither accepting nor opening files ends the server when descriptors run out."""
    (tmp_path / "a.jpg").write_bytes(portrait)
    server = start("--unsafe", f"--folder={tmp_path}")
    path = "/crop/avatar/64.png?src=a.jpg"
    used = int(metrics(server)["process_open_fds"])
    limits = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (used + 2, limits[1]))
    connections = []
    for _ in range(20):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        connections.append(connection)
    time.sleep(2)
    assert server.process.poll() is None
    for connection in connections:
        connection.close()
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, limits)
    assert server.get(path).status == 200
