import json
import os
import pathlib
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from samples import pictures
from samples.pictures import REPOSITORY

# What Spark starts is this Python, with what this one can import.
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(REPOSITORY / "Integrations/spark/src"), str(REPOSITORY / "Integrations/spark")]
)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


@pytest.fixture(scope="session")
def facecrop() -> str:
    """The release build, or the command in FACECROP."""
    path = pathlib.Path(os.environ.get("FACECROP", REPOSITORY / ".build/release/facecrop")).resolve()
    assert path.is_file(), f"{path} is missing; make release builds it"
    return str(path)


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    session = (
        SparkSession.builder.master("local[2]")
        .appName("facecrop-spark tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.speculation", "true")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


# A worker that answers without cropping, and does what an input's name says.
_STUB = """
import json, os, signal, sys, time
print("stub starts", file=sys.stderr, flush=True)
def say(line):
    sys.stdout.write(line + "\\n"); sys.stdout.flush()
held = []
for line in sys.stdin:
    request = json.loads(line)
    name = os.path.basename(request["input"])
    if name.startswith("crash"): os.kill(os.getpid(), signal.SIGSEGV)
    if name.startswith("half"): sys.stdout.write('{"id":'); sys.stdout.flush(); os._exit(3)
    if name.startswith("hang"): time.sleep(600)
    if name.startswith("killed"):
        say(json.dumps({"id": request["id"], "status": "failed", "retryable": True, "reason": {"kind": "crashed"}}))
        continue
    if name.startswith("junk"): say("no JSON")
    if name.startswith("twice"): say(json.dumps({"id": request["id"], "status": "cropped"}))
    if name.startswith("loud"): sys.stderr.write("x" * (1 << 20)); sys.stderr.flush()
    padding = "y" * (1 << 18) if name.startswith("large") else ""
    say(json.dumps({"id": request["id"], "status": "cropped", "detector": name, "warnings": [padding]}))
"""


@pytest.fixture
def stub(tmp_path: pathlib.Path) -> str:
    path = tmp_path / "stub"
    path.write_text(f"#!{sys.executable}\n{textwrap.dedent(_STUB)}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.fixture
def batch(facecrop: str) -> Callable[..., dict[str, dict[str, Any]]]:
    """What one `facecrop batch` on all pictures records, by input."""

    def run(base: pathlib.Path, output: pathlib.Path, options: list[str], inputs: list[pathlib.Path]) -> dict[str, Any]:
        names = b"\0".join(os.fsencode(path) for path in inputs)
        command = [facecrop, "batch", "--from-list=-", f"--base={base}", f"-d={output}", "--progress=none", *options]
        status = subprocess.run(command, input=names, stderr=subprocess.DEVNULL, check=False).returncode
        assert status in (0, 1), status
        lines = (output / "manifest.ndjson").read_text().splitlines()[1:]
        entries = {entry["input"]: entry for entry in map(json.loads, lines)}
        assert len(entries) == len(lines) == len(inputs)
        return entries

    return run


@pytest.fixture
def poisoned_command(facecrop: str, tmp_path: pathlib.Path) -> str:
    """The command, by a name of its own; reading crash.jpg ends its process, reading hang.jpg never ends."""
    library, link, wrapper = (tmp_path / name for name in ("poison.so", "facecrop-of-this-test", "poisoned"))
    source = pictures.REPOSITORY / "Tests/Support/Poison/poison.c"
    subprocess.run(["clang", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    link.symlink_to(facecrop)
    wrapper.write_text(f'#!/bin/sh\nLD_PRELOAD={library} exec {link} "$@"\n')
    wrapper.chmod(0o700)
    return str(wrapper)
