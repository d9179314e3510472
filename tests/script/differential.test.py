#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs must print on gyre what they print on the installed Node.

    differential.test.py GYRE [COUNT] [FIRST] [--engines A B]

With --engines they run on two engines of gyre instead, in virtual time, and must print the same.

Node runs with one thread: V8's helper threads wake Node's wait for events when they hand a result
over, and each wake is an iteration, in which immediates without a reference run earlier than Node's
rule says. Its collector has work for the loop, too, which runs ticks that an error left: it gets room.

A difference counts when it stays in three runs of both. A program that Node answers in two ways
depends on the clock: it is dropped and counted, and one of a hundred may be. Differences with a name
and a reason are in NAMED. Without a Node the test is skipped.
"""
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import random_programs

SKIPPED = 77
# seed: why it may differ.
NAMED = {}
# Programs run side by side: they sleep most of their time.
RUNNERS = 6
SECONDS_MAX = 20
# Programs that cannot be compared, and are dropped.
CLOCK = "Node's order depends on the clock"
FAULT = "a fault of Node: the immediate that follows one whose tick threw is cleared, and Node fails without end"
FAULT_TEXT = "Cannot read properties of undefined (reading '_idleNext')"
DROPPED_MAX = 0.01  # of all programs


# A program that spins ends with this script, also when the script is killed.
WITH_PARENT = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []


def output(command, path):
    words = [*WITH_PARENT, *command, path, *(["spin"] if "virtual" in command else [])]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
        return done.stdout, done.returncode
    except subprocess.TimeoutExpired as error:
        return (error.stdout or b"").decode(errors="replace"), "without end"


def difference(peer, gyre, seed, folder):
    """None, the two answers, or why they cannot be compared."""
    path = pathlib.Path(folder) / f"{seed}.js"
    path.write_text(random_programs.program(seed, is_common="virtual" in gyre))
    answers = set()
    for _ in range(3):
        expected, got = output(peer, path), output(gyre, path)
        if expected == got:
            return None
        if FAULT_TEXT in expected[0]:
            return FAULT
        answers.add(expected)
    return (expected, got) if len(answers) == 1 else CLOCK


def commands(program, arguments):
    """The two commands to compare, and their names."""
    if "--engines" in arguments:
        names = arguments[arguments.index("--engines") + 1:][:2]
        return [[program, "run", "--clock", "virtual", "--engine", name] for name in names], names
    node = shutil.which("node")
    return [[node, "--single-threaded", "--min-semi-space-size=64"], [program, "run"]] if node else None, ["Node", "gyre"]


def main():
    numbers = [int(word) for word in sys.argv[2:4] if word.isdigit()]
    count, first = (numbers + [200, 1][len(numbers):])[:2]
    pair, (left_name, right_name) = commands(sys.argv[1], sys.argv[2:])
    if pair is None:
        print("skipped: no node is installed to compare with")
        return SKIPPED
    failures = dropped = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(RUNNERS) as pool:
        seeds = range(first, first + count)
        for seed, found in zip(seeds, pool.map(lambda one: difference(*pair, one, folder), seeds)):
            if found is None or seed in NAMED:
                continue
            if isinstance(found, str):
                dropped += 1
                print(f"seed {seed} is dropped: {found}")
                continue
            failures += 1
            (expected, status), (got, right_status) = found
            print(f"seed {seed}: {left_name} ends with {status}, {right_name} with {right_status}")
            for number, (left, right) in enumerate(zip(expected.splitlines() + ["<end>"], got.splitlines() + ["<end>"])):
                if left != right:
                    print(f"  line {number + 1}: {left_name} prints {left!r}, {right_name} {right!r}")
                    break
    print(f"{count} programs, {failures} differences, {dropped} dropped")
    return 1 if failures or dropped > max(1, DROPPED_MAX * count) else 0


if __name__ == "__main__":
    sys.exit(main())
