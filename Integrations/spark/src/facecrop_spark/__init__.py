"""facecrop on Apache Spark: each task has one long-lived `facecrop batch --worker`."""

from facecrop.errors import WorkerError
from facecrop_spark.crop import crop_images
from facecrop_spark.progress import Progress
from facecrop_spark.schema import RESULT_SCHEMA

__all__ = ["RESULT_SCHEMA", "Progress", "WorkerError", "crop_images"]
