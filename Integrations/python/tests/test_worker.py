"""Tests the client with the real command, and with a stub for faults that the real one does not have on demand."""

import json
import os
import pathlib
import subprocess
import sys
import time

import pytest

from facecrop.errors import WorkerError
from facecrop.worker import Answer, Request, Settings, Worker, answer_timeout, request_timeout
from samples import pictures
from samples.fixtures import ends, executable, killing
from samples.pictures import PORTRAIT


def ask(settings: Settings, names: list[str]) -> tuple[list[Answer], Worker]:
    """Checks that every request has one answer."""
    with Worker(settings) as worker:
        answers = list(worker.answers(Request(name, name, f"{name}.out") for name in names))
    assert sorted(answer.request.key for answer in answers) == sorted(names)
    return answers, worker


def failures(answers: list[Answer]) -> dict[str, str]:
    return {answer.request.key: answer.members["reason"]["kind"] for answer in answers if answer.status == "failed"}


def test_every_request_has_one_answer(stub: str) -> None:
    answers, worker = ask(Settings(stub), [f"picture-{number}" for number in range(1_000)])
    assert all(answer.members["detector"] == answer.request.key for answer in answers)
    # A second response to a request ends the worker. Each request still has one answer.
    assert failures(ask(Settings(stub), ["a", "twice", "b", "c", "d"])[0]) == {}
    assert (worker.restarts, worker.warnings) == (0, [])


def test_the_real_command(facecrop: str, tmp_path: pathlib.Path) -> None:
    inputs = [PORTRAIT, *pictures.poison(tmp_path / "poison", 16)]
    settings = Settings(facecrop, ("--preset=avatar", "--size=64"), jobs=2, memory="512M", timeout=20)
    with Worker(settings) as worker:
        requests = [Request(path, str(path), str(tmp_path / f"{path.name}.jpg")) for path in inputs]
        answers = list(worker.answers(requests))
        pid = worker.pid
    assert sorted(answer.request.key for answer in answers) == sorted(inputs)
    (cropped,) = [answer.members for answer in answers if answer.status == "cropped"]
    assert cropped["outputs"][0]["bytes"] == (tmp_path / "astronaut.jpg.jpg").stat().st_size
    failed = failures(answers)
    assert failed.keys() == set(inputs) - {PORTRAIT}
    assert {"corrupt", "unreadable", "unsupported"} <= set(failed.values())
    assert (worker.restarts, worker.warnings) == (0, [])
    assert not pathlib.Path(f"/proc/{pid}").exists()


def test_names_that_are_no_utf8(facecrop: str, tmp_path: pathlib.Path) -> None:
    (picture,) = pictures.copies(tmp_path, os.fsdecode(b"\xff\xfe.jpg"))
    output = os.fsdecode(os.fsencode(tmp_path) + b"/\xfd.jpg")
    with Worker(Settings(facecrop, ("--size=64",))) as worker:
        answers = list(worker.answers([Request(1, str(picture), output)]))
    assert [answer.status for answer in answers] == ["cropped"]
    assert os.path.exists(os.fsencode(output))


@pytest.mark.parametrize("end", ["once-crash", "once-half", "once-hang"])
def test_unanswered_requests_are_sent_again(stub: str, end: str) -> None:
    names = [f"{end}-{number}" if number % 10 == 5 else f"picture-{number}" for number in range(30)]
    answers, worker = ask(Settings(stub, answer_timeout=2), names)
    assert (failures(answers), worker.restarts) == ({}, 3)
    assert all(answer.attempts == 2 for answer in answers if answer.request.key.startswith(end))


@pytest.mark.parametrize(
    ("name", "said"),
    [("crash", "SIGSEGV"), ("half", "status 3"), ("hang", "no answer came"), ("junk", "invalid")],
)
def test_a_worker_that_ends_in_a_row_is_an_error(stub: str, name: str, said: str) -> None:
    with pytest.raises(WorkerError, match=f"3 times in a row without a response(.|\\n)*{said}(.|\\n)*stub starts"):
        ask(Settings(stub, attempts=3, answer_timeout=0.5), ["a", name, "b", "c"])


def test_a_late_request_has_failed_and_others_have_not(stub: str) -> None:
    settings = Settings(stub, window=1, request_timeout=1.0, attempts=1)
    answers, worker = ask(settings, ["a", "hang-1", "b", "hang-2", "c"])
    assert failures(answers) == {"hang-1": "limit", "hang-2": "limit"}
    late = [answer for answer in answers if answer.status == "failed"]
    assert [(answer.attempts, answer.members["retryable"]) for answer in late] == [(1, True)] * 2
    assert worker.restarts == 2


def test_attempts_share_the_time_of_a_request(tmp_path: pathlib.Path) -> None:
    # Each process crashes after 0.6 s, so that only the second one is late.
    program = "import os, sys, time\nsys.stdin.readline()\ntime.sleep(0.6)\nos.abort()\n"
    slow = executable(tmp_path / "slow", program)
    start = time.monotonic()
    (answer,), _ = ask(Settings(slow, request_timeout=1.0, attempts=50), ["a"])
    assert (answer.members["reason"]["kind"], answer.attempts > 1) == ("limit", True)
    assert time.monotonic() - start < 8


def test_a_talkative_worker_is_late_all_the_same(tmp_path: pathlib.Path) -> None:
    program = (
        "import sys, time\nend = time.monotonic() + 15\nwhile time.monotonic() < end: sys.stderr.write('x' * 65536)\n"
    )
    start = time.monotonic()
    with pytest.raises(WorkerError, match="no answer came within 1 s"):
        ask(Settings(executable(tmp_path / "talker", program), answer_timeout=1.0, attempts=1), ["a"])
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(("timeout", "silence", "call"), [(None, 426, 35), (2, 34, 7), (0.5, 13, 5.5)])
def test_the_time_of_an_image_bounds_the_wait(timeout: float | None, silence: float, call: float) -> None:
    assert (answer_timeout(timeout), request_timeout(timeout)) == (silence, call)


def test_no_pipe_fills_up(stub: str) -> None:
    # Requests of 4 kB, responses of 256 kB and a megabyte of standard error each exceed the size of pipes.
    names = [f"{kind}-{number}-{'n' * 200}" for number in range(20) for kind in ("large", "loud")]
    names = [f"{'d' * 3_000}/{name}" for name in names]
    answers, worker = ask(Settings(stub, window=40, answer_timeout=60), names)
    assert (failures(answers), worker.restarts) == ({}, 0)


def test_wrong_options_are_errors(facecrop: str) -> None:
    with pytest.raises(WorkerError, match="presett"):
        ask(Settings(facecrop, ("--presett=avatar",)), ["a.jpg"])


def test_an_ending_that_is_wrong_is_told(tmp_path: pathlib.Path) -> None:
    program = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'status': 'cropped'}), flush=True)\n"
        "print(json.dumps({'summary': {'requests': 7}}))\n"
    )
    for end, words in (("", "7 of 2 requests"), ("sys.exit(1)\n", "status 1")):
        _, worker = ask(Settings(executable(tmp_path / "liar", program + end)), ["a", "b"])
        (warning,) = worker.warnings
        assert words in warning


def test_killed_at_random_nothing_changes(facecrop: str, tmp_path: pathlib.Path) -> None:
    inputs = pictures.draw(tmp_path / "in", 150) + pictures.poison(tmp_path / "in/poison", 10)
    # All kills may come in a row, before any response.
    settings = Settings(facecrop, ("--preset=avatar", "--size=64", "--detector=haar"), attempts=8)

    def run(name: str, kills: int) -> tuple[dict[str, object], Worker]:
        (tmp_path / name).mkdir()
        found: dict[str, object] = {}
        with Worker(settings) as worker, killing(lambda: filter(None, [worker.pid]), (0.1, 0.4), kills):
            requests = (Request(path.name, str(path), str(tmp_path / name / f"{path.name}.jpg")) for path in inputs)
            for answer in worker.answers(requests):
                assert answer.request.key not in found
                outputs = [output["sha256"] for output in answer.members.get("outputs", [])]
                reason = answer.members.get("reason", {}).get("kind")
                found[answer.request.key] = (answer.status, reason, outputs, answer.members.get("faces"))
        return found, worker

    calm, _ = run("calm", 0)
    disturbed, worker = run("disturbed", 6)
    assert len(calm) == len(inputs)
    assert disturbed == calm
    assert worker.restarts > 0


def test_the_request_is_one_line_of_json() -> None:
    line = Request(None, 'a"\n\u2028.jpg', "b.jpg", {"size": [64, 32]}).line(7)
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"id": 7, "input": 'a"\n\u2028.jpg', "output": "b.jpg", "size": [64, 32]}
    assert json.loads(Request(None, "\udcff", None).line(8)) == {"id": 8, "inputBase64": "/w==", "output": None}


def test_answers_that_nobody_takes_are_none_to_other_requests(stub: str) -> None:
    with Worker(Settings(stub, jobs=4)) as worker:
        first = worker.answers(Request(name, name, f"{name}.out") for name in ("a", "b", "c", "d"))
        assert next(first).request.key == "a"
        first.close()
        answers = list(worker.answers([Request("e", "e", "e.out")]))
    assert [(answer.request.key, answer.members["detector"]) for answer in answers] == [("e", "e")]
    assert worker.warnings == []


def test_the_worker_ends_with_its_client(facecrop: str) -> None:
    # Like a killed Python process, which cleans up nothing.
    script = (
        "import sys, time\nfrom facecrop.worker import *\n"
        f"w = Worker(Settings({facecrop!r}))\nlist(w.answers([Request(1, '/nowhere', '/tmp/x.jpg')]))\n"
        "print(w.pid, flush=True)\ntime.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as client:
        pid = int(client.stdout.readline())  # type: ignore[union-attr]
        client.kill()
    assert ends(pid, 30)
