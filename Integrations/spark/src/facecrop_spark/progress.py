"""Prints progress on the driver's standard error."""

import sys
import threading
import time

from pyspark.accumulators import Accumulator
from pyspark.sql import SparkSession

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

    def __exit__(self, *_: object) -> None:
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
        tracker = self._context.statusTracker()
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        if known := [stage for stage in stages if stage]:
            names = ("numCompletedTasks", "numTasks", "numActiveTasks")
            finished, of, running = (sum(getattr(stage, name) for stage in known) for name in names)
            words.append(f"tasks: {finished:,} of {of:,} done, {running:,} running")
        return "; ".join(words)

    def _run(self) -> None:
        while not self._stop.wait(self._seconds):
            self._say(self.line())

    def _say(self, line: str, is_last: bool = False) -> None:
        if line == self._last and not is_last:
            return
        self._last = line
        # On a terminal, over the previous line.
        over, end = ("\r\x1b[K", "\n" if is_last else "") if sys.stderr.isatty() else ("", "\n")
        print(f"{over}facecrop: {line}", end=end, file=sys.stderr, flush=True)
