# SPDX-License-Identifier: Apache-2.0
"""Runs a program with a planted bug and compares what it prints on standard error with BUG.txt.

    planted_bugs.test.py PROGRAM BUG CHECKED

CHECKED is 1 for a build with GYRE_DEBUG_CHECKS. Times, op numbers, folders and line numbers
are left out, and so are backtraces. Exits with 1 and a difference where the two do not agree."""

import difflib
import re
import signal
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def send(number):
    return lambda program: program.send_signal(number)


def nothing(program):
    pass


def end_input(program):
    program.stdin.close()


def feed_line(program):
    program.stdin.write(b"line\n")
    program.stdin.flush()


# For each bug: what is done when a text has appeared, and the exit status.
STEPS = {
    "two_mutexes": (
        [
            ("ready", send(signal.SIGQUIT)),
            ("the loop is alive because of", send(signal.SIGTERM)),
        ],
        0,
    ),
    # The second time the place is known: it is told only because of the signal.
    "blocked_loop": (
        [
            ("ready", nothing),
            ("blocked for over", feed_line),
            ("ready", send(signal.SIGQUIT)),
            ("SIGQUIT", end_input),
        ],
        0,
    ),
    "leaked_task": (
        [
            ("ready", send(signal.SIGQUIT)),
            ("the loop is alive because of", send(signal.SIGTERM)),
        ],
        0,
    ),
    "lost_cancel": ([("ready", send(signal.SIGTERM))], 4),
    "forgotten_await": ([], 0),
}


def plain(text):
    lines = []
    for line in text.splitlines():
        if re.match(r"gyre: \w+:   |gyre:   |  \S+\(.*\) ?\[0x", line):
            continue  # a backtrace
        line = re.sub(r"[^ (]*/(\w+\.[ch]pp)", r"\1", line)
        line = re.sub(r"(\w+\.[ch]pp):\d+", r"\1:LINE", line)
        line = re.sub(r"\(op \d+, (\w+)\)", r"(op, \1)", line)
        line = re.sub(r"\b(for|in) \d+(\.\d)? m?s$", r"\1 a time", line)
        line = line.replace("{anonymous}", "(anonymous namespace)")
        lines.append(line + "\n")
    return lines


def run(path, bug):
    steps, status = STEPS[bug]
    program = subprocess.Popen(
        [path, bug], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    said = ""
    for text, act in steps:
        if text == "ready":
            program.stdout.readline()
        else:
            line = ""
            while text not in line:
                line = program.stderr.readline().decode()
                if line == "":
                    break
                said += line
        act(program)
    said += program.stderr.read().decode()
    if bug == "blocked_loop":
        # What the task does when the loop goes on is a matter of time.
        said = said.split("scope root")[0]
    if program.wait() != status:
        yield f"it ends with {program.returncode}, not with {status}:\n{said}"
    golden = FOLDER / f"{bug}.txt"
    wanted = golden.read_text(encoding="utf-8").splitlines(True)
    if plain(said) != wanted:
        yield "".join(difflib.unified_diff(wanted, plain(said), golden.name, "printed"))


def main():
    if len(sys.argv) != 4:
        print(__doc__)
        return 2
    path, bug, is_checked = sys.argv[1:]
    if bug == "forgotten_await" and is_checked != "1":
        print("futures are watched only in a build with GYRE_DEBUG_CHECKS")
        return 0
    found = list(run(path, bug))
    for complaint in found:
        print(f"{bug}: {complaint}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
