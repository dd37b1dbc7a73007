"""A moderation queue in front of facecrop-server: uploads wait in SQLite until somebody decides which faces to hide.

    python3 moderation.py FOLDER SERVER [PORT]     SERVER: http://127.0.0.1:8080

The key for signed URLs is FACECROP_SIGNING_KEY. Put all paths but /upload and /public behind your own sign-in.
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import sqlite3
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request

FOLDER, SERVER, PORT = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 8081
LARGEST = 20 << 20
# An upload that a moderator took and left comes back after this time.
MINUTES = 10


def database() -> sqlite3.Connection:
    """Opens the queue. Each thread needs a connection of its own."""
    queue = sqlite3.connect(FOLDER / "queue.sqlite", timeout=30, isolation_level=None)
    queue.execute("PRAGMA journal_mode = WAL")
    queue.execute(
        "CREATE TABLE IF NOT EXISTS uploads (id TEXT PRIMARY KEY, state TEXT NOT NULL DEFAULT 'waiting', facts TEXT, "
        "since TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)"
    )
    return queue


def ask(path: str, query: str, image: bytes) -> bytes:
    """Sends an image to the server, and returns the response. Throws urllib.error.HTTPError with the server's JSON."""
    url = f"{path}?{query}"
    if key := os.environ.get("FACECROP_SIGNING_KEY"):
        code = hmac.new(key.encode(), url.encode(), "sha256").digest()
        url += f"&sig={base64.urlsafe_b64encode(code).decode().rstrip('=')}"
    headers = {"Content-Type": "application/octet-stream"}
    with urllib.request.urlopen(urllib.request.Request(SERVER + url, image, headers), timeout=60) as response:
        return response.read()


def write(path: pathlib.Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    part = path.with_name(f"{path.name}.{threading.get_ident()}.part")
    part.write_bytes(data)
    part.replace(path)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        url = urllib.parse.urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= LARGEST:
            return self.answer(413, {"error": "too-large", "message": f"the limit is {LARGEST} bytes"})
        body = self.rfile.read(length)
        queue = database()
        try:
            match url.path.strip("/").split("/"):
                case ["upload"]:
                    self.answer(*self.upload(queue, body))
                case ["next"]:
                    self.answer(*self.next(queue))
                case ["publish" | "reject" as verdict, name]:
                    self.answer(*self.decide(queue, verdict, name, url.query))
                case _:
                    self.answer(404, {"error": "not-found"})
        except urllib.error.HTTPError as error:
            # The word in `error`, such as `unsupported`, is for programs.
            self.answer(error.code, json.load(error))
        except urllib.error.URLError as error:
            self.answer(502, {"error": "server", "message": str(error.reason)})
        finally:
            queue.close()

    def upload(self, queue: sqlite3.Connection, image: bytes) -> tuple[int, dict]:
        """Keeps an image that the server can read. The same bytes again are the same upload."""
        name = hashlib.sha256(image).hexdigest()
        if not queue.execute("SELECT 1 FROM uploads WHERE id = ?", (name,)).fetchone():
            facts = ask("/meta/blur", "", image).decode()
            write(FOLDER / "originals" / name, image)
            queue.execute("INSERT OR IGNORE INTO uploads (id, facts) VALUES (?, ?)", (name, facts))
        return 202, {"id": name}

    def next(self, queue: sqlite3.Connection) -> tuple[int, dict]:
        """Gives the oldest upload to one moderator, with the numbers of its faces."""
        row = queue.execute(
            "UPDATE uploads SET state = 'taken', since = CURRENT_TIMESTAMP WHERE id = (SELECT id FROM uploads WHERE "
            "state = 'waiting' OR state = 'taken' AND since < datetime('now', ?) ORDER BY since, id LIMIT 1) "
            "RETURNING id, facts",
            (f"-{MINUTES} minutes",),
        ).fetchone()
        return (200, {"id": row[0], **json.loads(row[1])}) if row else (404, {"error": "empty"})

    def decide(self, queue: sqlite3.Connection, verdict: str, name: str, query: str) -> tuple[int, dict]:
        """Publishes a taken upload with hidden faces, all but those in `except`, or removes it."""
        if not queue.execute("SELECT 1 FROM uploads WHERE id = ? AND state = 'taken'", (name,)).fetchone():
            return 409, {"error": "not-taken"}
        original = FOLDER / "originals" / name
        if verdict == "publish":
            # A JPEG file keeps all other pixels; other formats become JPEG.
            write(FOLDER / "public" / name, ask("/blur", f"format=jpg&{query}".rstrip("&"), original.read_bytes()))
        queue.execute("UPDATE uploads SET state = ? WHERE id = ?", (f"{verdict}ed", name))
        # Nobody needs the visible faces any more.
        original.unlink(missing_ok=True)
        return 200, {"id": name, "state": f"{verdict}ed"}

    def do_GET(self) -> None:
        name = self.path.removeprefix("/public/")
        path = FOLDER / "public" / name
        if self.path.startswith("/public/") and name.isalnum() and path.is_file():
            return self.answer(200, path.read_bytes())
        return self.answer(404, {"error": "not-found"})

    def answer(self, status: int, body: dict | bytes) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if isinstance(body, dict) else "image/jpeg")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


for folder in ("originals", "public"):
    (FOLDER / folder).mkdir(parents=True, exist_ok=True)
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
