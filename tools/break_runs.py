# SPDX-License-Identifier: Apache-2.0
"""Runs test programs and finds which tests failed, also where a program ends early or hangs. Used by tools/breaks."""

import os
import queue
import re
import subprocess
import threading
import time

RUN = re.compile(r"^\[ RUN      \] (\S+)")
END = re.compile(r"^\[  (?:     OK|FAILED |SKIPPED) \] ([^\s,]+)(?:,.*)? \(\d+ ms")
FAILED = re.compile(r"^\[  FAILED  \] ([^\s,]+)(?:,.*)? \(\d+ ms")
TEST_SECONDS_MAX = 60  # A test that takes longer hangs, whatever it prints.
OTHER_TEST_SECONDS_MAX = 20  # The same for tests that are run only to be counted.


def plain_name(test):
    """platforms/Streams.ends/uring is Streams.ends in its source."""
    suite, _, name = test.rpartition(".")
    name = name.split("/")[0]
    parts = [part for part in suite.split("/") if part]
    # Of a typed suite the last part is a number; a prefix of an instantiation comes first.
    parts = [part for part in parts if not part.isdigit()] or parts
    return f"{parts[-1]}.{name}"


def run_once(command, environment, deadline, seconds_max):
    """The tests that ended, those that failed, the one that was under way at an early end, and the exit status."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", env=environment, start_new_session=True,
    )
    lines = queue.Queue()

    def read():
        for line in process.stdout:  # A test may print without end: its own lines do not count.
            if line.startswith("["):
                lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    ended, failed, current = set(), set(), None
    until = time.monotonic() + seconds_max
    try:
        while True:
            try:
                line = lines.get(timeout=max(0.1, min(until, deadline) - time.monotonic()))
            except queue.Empty:
                return ended, failed, current, "hangs" if time.monotonic() < deadline else "out of time"
            if line is None:
                break
            if match := RUN.match(line):
                current = match[1]
                until = time.monotonic() + seconds_max
            elif match := END.match(line):
                ended.add(match[1])
                current = None
                until = time.monotonic() + seconds_max
                if FAILED.match(line):
                    failed.add(match[1])
        return ended, failed, current, process.wait()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, 9)
        process.wait()


def failed_tests(program, wanted, environment, deadline, count_max, seconds_max=TEST_SECONDS_MAX):
    """Runs the tests that a filter takes, and runs the rest again after each one that ends the program."""
    failed, left_out = set(), set()
    positive, _, negative = wanted.partition("-")
    while len(failed) <= count_max and time.monotonic() < deadline:
        without = ":".join([text for text in [negative] if text] + sorted(left_out))
        pattern = (positive or "*") + (f"-{without}" if without else "")
        command = [program, f"--gtest_filter={pattern}"]
        ended, new, current, status = run_once(command, environment, deadline, seconds_max)
        failed |= new
        if status == "out of time" or (current is None and not new and status not in (0, 1)):
            # An end outside of any test counts as one failure of the program.
            if status != "out of time":
                failed.add(os.path.basename(str(program)))
            break
        if current is None:
            break
        failed.add(current)
        left_out |= ended | {current}
    return failed


def failed_entries(name, build, environment, deadline):
    """A test of ctest that is no program of GoogleTest: its name if it fails."""
    try:
        status = subprocess.run(
            ["ctest", "--test-dir", str(build), "-R", f"^{name}$", "--no-tests=error"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
            timeout=max(1, deadline - time.monotonic()), check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        status = 1
    return {name} if status != 0 else set()
