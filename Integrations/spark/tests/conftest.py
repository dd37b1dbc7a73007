import os
import sys
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from samples.spark_session import start_spark

# Spark must start this Python.
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    session = start_spark("facecrop-spark tests", log="OFF", spark_sql_shuffle_partitions="2", spark_speculation="true")
    yield session
    session.stop()
