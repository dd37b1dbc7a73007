"""The sessions of demo, tests and measurements."""

from collections.abc import Iterable

from pyspark.sql import DataFrame, Row, SparkSession


def start_spark(name: str, master: str = "local[2]", log: str = "ERROR", **settings: str) -> SparkSession:
    """Starts a session. `settings` have underscores for dots: `spark_speculation="true"`."""
    builder = SparkSession.builder.master(master).appName(name).config("spark.ui.enabled", "false")
    # facecrop prints its own line.
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    session = builder.config(map={name.replace("_", "."): value for name, value in settings.items()}).getOrCreate()
    session.sparkContext.setLogLevel(log)
    return session


def frame(spark: SparkSession, paths: Iterable[object]) -> DataFrame:
    """Returns a row with a column `path` for each path."""
    return spark.createDataFrame([(str(path),) for path in paths], "path string")


def written(rows: DataFrame, path: object) -> list[Row]:
    """Writes rows to Parquet, and reads them again. So each image is cropped once."""
    rows.write.parquet(str(path))
    return rows.sparkSession.read.parquet(str(path)).collect()
