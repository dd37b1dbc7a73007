"""Starts a server in a process of its own, for tests, load tests, and measurements."""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import IO, Self


class Started:
    """A server on a free port of this machine, which its command chooses; a context manager."""

    def __init__(
        self,
        command: Sequence[object],
        environment: Mapping[str, str] | None = None,
        *,
        log: IO | None = None,
        stdout: int | None = None,
    ) -> None:
        """Starts the command, and exits if no server comes of it. `log` gets its standard error; by default, `log` of
        the object has it."""
        self._log = log or tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            [str(word) for word in command], env=os.environ | (environment or {}), stdout=stdout, stderr=self._log
        )
        for _ in range(300):
            if port := self._port():
                self.port = port
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.process.kill()
        sys.exit(f"the server does not start: {'' if log else self.log}")

    def _port(self) -> int | None:
        """Returns the port of the server's socket, from the kernel."""
        sockets = set()
        with contextlib.suppress(OSError):
            for link in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
                sockets.update(re.findall(r"socket:\[(\d+)\]", os.readlink(link)))
        for table in ("tcp", "tcp6"):
            for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in sockets:
                    return int(fields[1].split(":")[1], 16)
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> int:
        """Ends the server as an operator does, and returns its status."""
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(30)
        self.process.kill()
        return self.process.wait()

    @property
    def log(self) -> str:
        return os.pread(self._log.fileno(), 1 << 26, 0).decode(errors="replace")

    def resident(self) -> int:
        """Returns the resident memory in bytes."""
        return self._kilobytes("status", "VmRSS") * 1024

    def memory(self) -> float:
        """Returns the MiB of its process, with a share of shared memory."""
        return self._kilobytes("smaps_rollup", "Pss") / 1024

    def _kilobytes(self, file: str, field: str) -> int:
        text = pathlib.Path(f"/proc/{self.process.pid}/{file}").read_text()
        return int(re.search(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE)[1])

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def processor_seconds(self) -> float:
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
