"""A client of one `facecrop batch --worker`: it gets exactly one response for each request.

The worker isolates each image in a process of its own. If the worker itself dies, the client starts it again, and sends
the unanswered requests again. One loop serves both pipes and standard error. It never blocks on one of them, so none
can fill up meanwhile.
"""

import base64
import collections
import contextlib
import dataclasses
import itertools
import json
import math
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from facecrop import command
from facecrop.errors import PictureError, WorkerError, spelled, worded
from facecrop.naming import NameFault
from facecrop.options import Option, at_least_one, is_number

# Exit statuses of facecrop (a fault of the machine, wrong usage), and of shells that cannot run a command.
_UNUSABLE = frozenset({1, 64, 126, 127})
# Bytes of standard error that are kept for messages.
_TAIL = 4096
# Seconds for the process to end after its input has ended.
_GRACE = 10.0
# facecrop's default of the seconds for an image.
_TIMEOUT = 30.0
# Seconds beyond those for an image, in which a process starts, notices the end of the time, and responds.
_MARGIN = 5.0


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of a worker, and the limits after which it is ended."""

    # The command; None for this package's own, or the one that `command.find` finds where the worker is started.
    facecrop: str | None = None
    # Options for every request.
    arguments: tuple[str, ...] = ()
    # Images processed at a time.
    jobs: int = 1
    # Upper bound of the worker's memory, as for `--memory`; None for facecrop's default, half of the machine's memory.
    memory: str | None = None
    # Seconds for an image, which the worker itself enforces; None for facecrop's default, 30.
    timeout: float | None = None
    # Seconds without any response after which the worker is ended, in case it does not enforce its own timeout; None
    # for those that follow from `timeout`.
    answer_timeout: float | None = None
    # Seconds for a request with all its attempts, after which the worker is ended and the request has failed; None for
    # no such bound. Only useful if requests do not wait for each other.
    request_timeout: float | None = None
    # Number of times in a row that the worker may end without any response.
    attempts: int = 4
    # Requests in flight; None for two more than `jobs`, so that the worker can read ahead.
    window: int | None = None

    def __post_init__(self) -> None:
        at_least_one("jobs", self.jobs)
        at_least_one("attempts", self.attempts)
        at_least_one("window", self.in_flight)
        check_timeout(self.timeout)
        for name, seconds in (("answer_timeout", self.answer_timeout), ("request_timeout", self.request_timeout)):
            if seconds is not None and not seconds > 0:
                raise ValueError(f"{name} must be above 0 seconds, not {seconds}")

    @property
    def in_flight(self) -> int:
        return self.jobs + 2 if self.window is None else self.window

    @property
    def command(self) -> list[str]:
        words = [self.facecrop or command.find(), "batch", "--worker", f"--jobs={self.jobs}"]
        if self.memory is not None:
            words.append(f"--memory={self.memory}")
        if self.timeout is not None:
            words.append(f"--timeout={float(self.timeout)!r}")
        return [*words, *self.arguments]


def answer_timeout(timeout: float | None) -> float:
    """Returns the seconds that a worker may be silent, by its seconds for an image; None is facecrop's default.

    An image may end two processes late, after four times its seconds, which count processor time. A third one is killed
    a second after six times its seconds.
    """
    return 14 * _seconds(timeout) + 1 + _MARGIN


def request_timeout(timeout: float | None) -> float:
    """Returns the seconds after which a call for one image fails, by the seconds for an image."""
    return _seconds(timeout) + _MARGIN


def late(seconds: float) -> dict[str, Any]:
    """Returns the fault of an image whose process did not respond in time, in the form of the command's faults."""
    return {
        "kind": "limit",
        "problem": f"no response came within {seconds:g} s, and the process was ended",
        "remedy": [{"text": "try again, or raise "}, {"option": "timeout"}],
    }


def _seconds(timeout: float | None) -> float:
    return timeout if timeout is not None and is_number(timeout) else _TIMEOUT


def check_timeout(timeout: object) -> None:
    """Raises a `ValueError` unless the timeout is None or a number of seconds."""
    if timeout is not None and not (is_number(timeout) and 0 < timeout < math.inf):  # type: ignore[operator]
        raise ValueError(f"timeout must be a finite number of seconds above 0, not {timeout!r}")


def check(settings: Settings) -> None:
    """Raises a `ValueError` if the command refuses its options; ignores a missing command."""
    try:
        run = subprocess.run(settings.command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return
    if run.returncode == 64:
        # The first line says what is wrong; the last one is for the shell.
        message = spelled(run.stderr.decode(errors="replace").strip().partition("\n")[0])
        if settings.jobs == 1:
            message = message.replace(", or fewer jobs)", ")")
        raise ValueError(message.removeprefix("facecrop: "))


@dataclasses.dataclass(frozen=True)
class Request:
    """An image to crop. `key` identifies it to the caller."""

    key: Any
    input: str
    # None writes nothing; the response describes the crop.
    output: str | None
    # Options under their names in a request; see `options.members`.
    options: Mapping[str, Option] = dataclasses.field(default_factory=dict)

    def resolved(self, folder: str) -> "Request":
        """Returns the request with absolute paths, starting at `folder`, since a worker stays in its first folder."""
        output = None if self.output is None else os.path.join(folder, self.output)
        return dataclasses.replace(self, input=os.path.join(folder, self.input), output=output)

    def line(self, number: int) -> bytes:
        members: dict[str, Any] = {**self.options, "id": number, "input": self.input, "output": self.output}
        for name in ("input", "output"):
            try:
                (members[name] or "").encode()
            except UnicodeEncodeError:  # Bytes that are not UTF-8 are lone surrogates here.
                members[f"{name}Base64"] = base64.b64encode(os.fsencode(members.pop(name))).decode()
        return json.dumps(members, ensure_ascii=False).encode() + b"\n"


@dataclasses.dataclass(frozen=True)
class Answer:
    """The response to a request: from the worker, or in its place."""

    request: Request
    members: dict[str, Any]
    # Number of times the request was sent.
    attempts: int

    @property
    def status(self) -> str:
        return str(self.members["status"])


def request_or_fault(key: Any, make: Callable[[], Request]) -> Request | Answer:
    """Returns the request that `make` makes, or the answer to an input that cannot have one."""
    try:
        return make()
    except NameFault as fault:
        reason = {"kind": "name", "message": str(fault)}
    except PictureError as error:
        reason = {"kind": error.kind, "message": str(error)}
    except OSError as error:
        reason = {"kind": "output", "message": f"no output was written: {error}"}
    return Answer(Request(key, "", None), {"status": "failed", "reason": reason}, attempts=0)


@dataclasses.dataclass
class _Pending:
    request: Request
    # The time at which the request has failed.
    deadline: float
    attempts: int = 0

    def failed(self, seconds: float) -> Answer:
        fault = late(seconds)
        members = {"status": "failed", "reason": {**fault, "message": worded(fault)}, "retryable": True}
        return Answer(self.request, members, self.attempts)


class Worker(contextlib.AbstractContextManager["Worker"]):
    """Sends requests to a worker process, and restarts it when it dies.

    As a context manager, it ends the process on exit. Only one thread at a time may use it.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: _Process | None = None
        self._starts = 0
        self.warnings: list[str] = []

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def restarts(self) -> int:
        """Returns the number of processes after the first."""
        return max(self._starts - 1, 0)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def answers(self, requests: Iterable[Request | Answer]) -> Iterator[Answer]:
        """Yields exactly one response for each request, in the order in which they finish.

        An answer among the requests, to an image that needs no worker, is yielded at once. At most
        `Settings.in_flight` requests are taken at a time. When the worker dies or falls silent, a new one gets the
        unanswered requests, except those that exceeded `Settings.request_timeout`. Raises `WorkerError` after
        `Settings.attempts` ends in a row without any response.
        """
        flight: dict[int, _Pending] = {}
        try:
            yield from self._answers(iter(requests), flight)
        finally:
            # Nobody reads these responses, and they must not be taken for those to later requests.
            if flight:
                self._end()

    def _answers(self, source: Iterator[Request | Answer], flight: dict[int, _Pending]) -> Iterator[Answer]:
        numbers = itertools.count(1)
        unsent: collections.deque[_Pending] = collections.deque()
        ends_in_a_row = 0
        while True:
            while len(flight) < self._settings.in_flight:
                if not unsent:
                    request = next(source, None)
                    if request is None:
                        break
                    if isinstance(request, Answer):
                        yield request
                        continue
                    unsent.append(_Pending(request, time.monotonic() + (self._settings.request_timeout or math.inf)))
                pending = unsent.popleft()
                process = self._running(is_idle=not flight)
                number = next(numbers)
                pending.attempts += 1
                flight[number] = pending
                process.send(pending.request.line(number))
            if not flight:
                return
            silence = self._settings.answer_timeout or answer_timeout(self._settings.timeout)
            rest = min(pending.deadline for pending in flight.values()) - time.monotonic()
            try:
                for members in self._running().receive(min(silence, max(rest, 0))):
                    number = members.get("id", -1)
                    answered = flight.pop(number, None) if isinstance(number, int) else None
                    if answered is None:
                        raise _Lost(f"the worker answered an unknown request: {str(members)[:200]}")
                    ends_in_a_row = 0
                    yield Answer(answered.request, members, answered.attempts)
            except _Lost as lost:
                process = self._running()
                self._end()
                if process.is_unusable:
                    raise WorkerError(f"{process.name} cannot be used: {process.epitaph}") from lost
                expired = [number for number, pending in flight.items() if pending.deadline <= time.monotonic()]
                for number in expired:
                    yield flight.pop(number).failed(self._settings.request_timeout or 0)
                unsent.extend(flight.values())
                flight.clear()
                if not expired:
                    ends_in_a_row += 1
                if ends_in_a_row >= self._settings.attempts:
                    raise WorkerError(
                        f"{process.name} ended {ends_in_a_row} times in a row without a response: {lost}; "
                        f"{process.epitaph}"
                    ) from lost

    def _running(self, is_idle: bool = False) -> "_Process":
        # No request is at fault if the process died while it was idle.
        if self._process and is_idle and self._process.has_ended:
            self._end()
        if self._process is None:
            self._process = _Process(self._settings)
            self._starts += 1
        return self._process

    def _end(self) -> None:
        """Ends the process at once."""
        if process := self._taken():
            process.kill()

    def forget(self) -> None:
        """Releases a process that belongs to the parent after a fork."""
        if process := self._taken():
            process.forget()

    def close(self) -> None:
        """Ends the worker's input and waits for its end."""
        if (process := self._taken()) and (fault := process.finish()):
            self.warnings.append(fault)

    def _taken(self) -> "_Process | None":
        process, self._process = self._process, None
        return process


def started(words: list[str], stdin: int, bufsize: int = -1) -> "subprocess.Popen[bytes]":
    """Starts a command with pipes, in a new session, so that `kill_group` can end it with its children."""
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(words, bufsize, stdin=stdin, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        raise WorkerError(
            f"{words[0]} cannot be started: {error.strerror or error} "
            "(install facecrop, set FACECROP to its path, or pass facecrop=... to Cropper, batch or blur)"
        ) from error


def kill_group(process: "subprocess.Popen[bytes]") -> None:
    """Ends a process that leads a session, with its children."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


class _Lost(Exception):
    """The reason why a worker does not respond."""


class _Process:
    def __init__(self, settings: Settings) -> None:
        words = settings.command
        self.name = words[0]
        self._process = started(words, subprocess.PIPE, bufsize=0)
        self.pid = self._process.pid
        pipes = [self._process.stdin, self._process.stdout, self._process.stderr]
        self._input, self._output, self._errors = [pipe for pipe in pipes if pipe]
        self._unsent = bytearray()
        self._unread = bytearray()
        self._received: list[dict[str, Any]] = []
        self._tail = bytearray()
        self._sent = 0
        self._answered = 0
        # Whether there may be more output.
        self._is_open = True
        self._summary: dict[str, Any] | None = None
        self._selector = selectors.DefaultSelector()
        for pipe in (self._input, self._output, self._errors):
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self._output, selectors.EVENT_READ, self._read)
        self._selector.register(self._errors, selectors.EVENT_READ, self._drain)

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    @property
    def is_unusable(self) -> bool:
        """Returns whether it could not run, refused its command line, or found a fault of the machine before any
        response."""
        return self._process.returncode in _UNUSABLE and self._answered == 0

    @property
    def epitaph(self) -> str:
        """Describes how it ended, and its last messages."""
        status = self._process.returncode
        if status is None:
            end = "the process still runs"
        elif status < 0:
            end = f"the process ended by {signal.Signals(-status).name}"
        else:
            end = f"the process ended with status {status}"
        said = bytes(self._tail).decode(errors="replace").strip()
        return f"{end}: {said}" if said else end

    def send(self, line: bytes) -> None:
        self._unsent += line
        self._sent += 1
        self._write()

    def _write(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: os.write(self._input.fileno(), self._unsent)]
        except BlockingIOError:
            pass
        except OSError:  # It has gone, and the end of its output shows that.
            self._unsent.clear()
        is_registered = self._input in self._selector.get_map()
        if self._unsent and not is_registered:
            self._selector.register(self._input, selectors.EVENT_WRITE, self._write)
        elif not self._unsent and is_registered:
            self._selector.unregister(self._input)

    def receive(self, timeout: float) -> list[dict[str, Any]]:
        """Returns one or more responses. Raises if there will be none."""
        deadline = time.monotonic() + timeout
        while not self._received:
            rest = deadline - time.monotonic()
            ready = self._serve(rest)
            # Standard error does not count: a process that writes to it without end would never be late.
            if self._output not in ready and (rest <= 0 or not ready):
                raise _Lost(f"no answer came within {timeout:g} s")
            if not self._is_open and not self._received:
                raise _Lost("the worker ended")
        answers, self._received = self._received, []
        return answers

    def _serve(self, seconds: float) -> list[object]:
        """Waits for the pipes, and serves those that are ready, which it returns."""
        ready = [key for key, _ in self._selector.select(max(seconds, 0))]
        for key in ready:
            key.data()
        return [key.fileobj for key in ready]

    def _read(self) -> None:
        """Reads the available output. A process may die within a line, so only whole lines count."""
        try:
            data = os.read(self._output.fileno(), 1 << 16)
        except BlockingIOError:
            return
        self._is_open = bool(data)
        self._unread += data
        *lines, rest = self._unread.split(b"\n")
        self._unread = bytearray(rest)
        for line in lines:
            try:
                members = json.loads(line)
            except ValueError:
                members = None
            if isinstance(members, dict) and isinstance(members.get("summary"), dict):
                self._summary = members["summary"]
            elif isinstance(members, dict) and isinstance(members.get("status"), str):
                self._answered += 1
                self._received.append(members)
            else:
                raise _Lost(f"the worker's answer is invalid: {bytes(line[:200])!r}")

    def _drain(self) -> None:
        """Reads the available standard error, unless it has ended."""
        if self._errors not in self._selector.get_map():
            return
        with contextlib.suppress(BlockingIOError):
            data = os.read(self._errors.fileno(), 1 << 16)
            self._tail += data
            del self._tail[:-_TAIL]
            if not data:
                self._selector.unregister(self._errors)

    def kill(self) -> None:
        """Ends it at once, with its children, unless it has already ended."""
        # Its output has ended, so it is about to exit, with a status that says why.
        if self._process.poll() is None:
            with contextlib.suppress(_Lost):
                self._read()
            if not self._is_open:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(1.0)
        kill_group(self._process)
        self._process.wait()
        self._drain()
        self.forget()

    def finish(self) -> str | None:
        """Lets it end, and returns the fault of its end, if any."""
        fault = None
        if self._input in self._selector.get_map():
            self._selector.unregister(self._input)
        self._input.close()
        deadline = time.monotonic() + _GRACE
        try:
            while self._is_open and self._serve(deadline - time.monotonic()):
                pass
            self._process.wait(max(deadline - time.monotonic(), 0.1))
        except _Lost as lost:
            fault = str(lost)
        except subprocess.TimeoutExpired:
            fault = f"the process did not end within {_GRACE:g} s after its input"
        kill_group(self._process)
        status = self._process.wait()
        self._drain()
        if fault is None and status != 0:
            fault = self.epitaph
        if fault is None and self._summary is not None and self._summary.get("requests", self._sent) != self._sent:
            fault = f"the process counted {self._summary['requests']} of {self._sent} requests"
        self.forget()
        return fault

    def forget(self) -> None:
        """Closes this process's ends of the pipes, and leaves the process to its parent."""
        self._selector.close()
        for pipe in (self._input, self._output, self._errors):
            with contextlib.suppress(OSError):
                pipe.close()
