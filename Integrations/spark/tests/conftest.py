import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from samples.pictures import REPOSITORY
from samples.spark_session import start_spark

# Spark must start this Python with this one's packages.
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(REPOSITORY / "Integrations" / folder) for folder in ("python/src", "spark/src", "")]
)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    session = start_spark("facecrop-spark tests", log="OFF", spark_sql_shuffle_partitions="2", spark_speculation="true")
    yield session
    session.stop()


@pytest.fixture
def batch(facecrop: str) -> Callable[..., dict[str, dict[str, Any]]]:
    """Returns the records of one `facecrop batch` on all images, by input."""

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
