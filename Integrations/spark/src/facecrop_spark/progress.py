"""Prints progress on the driver's standard error."""

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator

COUNTS = ("pictures", "cropped", "no-face", "failed", "restarts")


class Progress:
    """Prints every few seconds how many images are done; a context manager.

    Spark updates counts when a task ends, so they change task by task. A task that runs twice may count twice; only the
    rows are exact.

        with Progress(spark) as progress:
            crop_images(df, output=folder, progress=progress).write.parquet(results)
    """

    def __init__(self, spark: SparkSession, total: int | None = None, seconds: float = 5.0) -> None:
        self._context = spark.sparkContext
        self._total = total
        self._seconds = seconds
        self.counts: dict[str, Accumulator[int]] = {name: self._context.accumulator(0) for name in COUNTS}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="facecrop-progress", daemon=True)
        self._began = time.monotonic()
        self._last = ""

    def __enter__(self) -> "Progress":
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._say(self.line(), is_last=True)

    def line(self) -> str:
        """Returns `120 of 400 pictures, 14.2 a second; 119 cropped, 1 failed; 0 restarts; tasks: 3 of 10 …`."""
        counts = {name: count.value for name, count in self.counts.items()}
        done = counts["pictures"]
        rate = done / max(time.monotonic() - self._began, 1e-3)
        words = [
            f"{done:,} {f'of {self._total:,} ' if self._total is not None else ''}pictures, {rate:.1f} a second",
            ", ".join(f"{counts[name]:,} {name}" for name in ("cropped", "no-face", "failed")),
            f"{counts['restarts']:,} restarts",
        ]
        tasks = self._tasks()
        return "; ".join(words + ([tasks] if tasks else []))

    def _tasks(self) -> str:
        tracker = self._context.statusTracker()
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        known = [stage for stage in stages if stage]
        if not known:
            return ""
        done, running, of = (
            sum(getattr(stage, name) for stage in known) for name in ("numCompletedTasks", "numActiveTasks", "numTasks")
        )
        return f"tasks: {done:,} of {of:,} done, {running:,} running"

    def _run(self) -> None:
        while not self._stop.wait(self._seconds):
            self._say(self.line())

    def _say(self, line: str, is_last: bool = False) -> None:
        if line == self._last and not is_last:
            return
        self._last = line
        if sys.stderr.isatty():  # Over the previous line.
            sys.stderr.write(f"\r\x1b[Kfacecrop: {line}" + ("\n" if is_last else ""))
        else:
            sys.stderr.write(f"facecrop: {line}\n")
        sys.stderr.flush()
