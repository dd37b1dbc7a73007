"""The sessions of demo, tests and measurements."""

from pyspark.sql import SparkSession


def start_spark(name: str, master: str = "local[2]", log: str = "ERROR", **settings: str) -> SparkSession:
    """Starts a session. `settings` have underscores for dots: `spark_speculation="true"`."""
    builder = SparkSession.builder.master(master).appName(name).config("spark.ui.enabled", "false")
    # facecrop prints its own line.
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    for setting, value in settings.items():
        builder = builder.config(setting.replace("_", "."), value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel(log)
    return session
