"""facecrop on Apache Spark: each task has one long-lived `facecrop batch --worker`."""

from facecrop_spark.crop import crop_images
from facecrop_spark.progress import Progress
from facecrop_spark.schema import RESULT_SCHEMA
from facecrop_spark.worker import WorkerError

__all__ = ["RESULT_SCHEMA", "Progress", "WorkerError", "crop_images"]
