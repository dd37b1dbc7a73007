"""Tests tasks that run twice at once, on a cluster on the loopback interface: a master, and a worker on each of two
hosts.

`local[2]` never speculates. Spark runs no second copy of a task on the same host, so `local-cluster` does not either.
"""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import time
from collections.abc import Iterator

import pyspark
import pytest
from pyspark.sql import SparkSession

from facecrop_spark import crop_images
from samples import pictures
from samples.fixtures import executable
from samples.spark_session import frame, start_spark, written

SPARK_CLASS = pathlib.Path(pyspark.__file__).parent / "bin/spark-class"


@contextlib.contextmanager
def daemon(log: pathlib.Path, host: str, *arguments: str) -> Iterator[None]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(SPARK_CLASS), *arguments],
            stdout=output,
            stderr=output,
            env=os.environ | {"SPARK_LOCAL_IP": host, "SPARK_WORKER_DIR": str(log.parent), "SPARK_NO_DAEMONIZE": "1"},
            start_new_session=True,
        )
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(60)


def said(log: pathlib.Path, pattern: str) -> str:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if match := re.search(pattern, log.read_text()):
            return match[0]
        time.sleep(0.2)
    raise AssertionError(f"{pattern} is not in {log.read_text()}")


@pytest.fixture
def cluster(tmp_path: pathlib.Path) -> Iterator[SparkSession]:
    with contextlib.ExitStack() as stack:
        log = tmp_path / "master.log"
        master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        stack.enter_context(daemon(log, "127.0.0.1", *master))
        address = said(log, r"spark://127\.0\.0\.1:\d+")
        for host in ("127.0.0.2", "127.0.0.3"):
            log = tmp_path / f"{host}.log"
            worker = f"org.apache.spark.deploy.worker.Worker --host {host} -c 1 -m 1g --webui-port 0".split()
            stack.enter_context(daemon(log, host, *worker, address))
            said(log, "Successfully registered with master")
        session = start_spark(
            "facecrop-spark cluster",
            address,
            log="OFF",
            spark_driver_host="127.0.0.1",
            spark_executor_memory="768m",
            spark_speculation="true",
            spark_speculation_interval="100ms",
            spark_speculation_multiplier="1.1",
            spark_speculation_quantile="0.1",
        )
        try:
            yield session
        finally:
            session.stop()


@pytest.fixture
def slow_once(facecrop: str, tmp_path: pathlib.Path) -> str:
    """Returns the command with a log of its starts, the driver's check of the options first; the second task's command
    waits."""
    return executable(
        tmp_path / "slow-once",
        "import os, sys, time\n"
        f"started = {str(tmp_path / 'started')!r}\n"
        "descriptor = os.open(started, os.O_CREAT | os.O_APPEND | os.O_RDWR)\n"
        "os.write(descriptor, b'x')\n"
        "if os.fstat(descriptor).st_size == 3: time.sleep(40)\n"
        f"os.execv({facecrop!r}, [{facecrop!r}, *sys.argv[1:]])\n",
    )


def test_a_task_that_runs_twice_at_once_changes_nothing(
    cluster: SparkSession, slow_once: str, tmp_path: pathlib.Path
) -> None:
    inputs = pictures.draw(tmp_path / "in", 120) + pictures.poison(tmp_path / "in/poison", 8)
    options = {"base": str(tmp_path / "in"), "facecrop": slow_once, "preset": "avatar", "size": 48}
    made = crop_images(frame(cluster, inputs).repartition(8), output=str(tmp_path / "out"), **options)
    rows = written(made, tmp_path / "results.parquet")
    assert sorted(row.path for row in rows) == sorted(str(path) for path in inputs)
    for row in rows:
        assert (row.status == "failed") == ("poison" in row.path)
        for output in row.outputs or []:
            assert pathlib.Path(output.file).stat().st_size == output.bytes
    # 8 tasks, the driver's check of the options, and at least one speculative copy.
    starts = (tmp_path / "started").stat().st_size
    print(f"{starts - 1} workers for 8 tasks")
    assert starts > 9
