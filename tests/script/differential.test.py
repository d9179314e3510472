#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs must print on gyre what they print on the installed Node.

    differential.test.py GYRE [COUNT] [FIRST]

A difference is tried again: one that stays is told of with the seed of the program. Differences with
a name and a reason are in NAMED. Without a Node the test is skipped.
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


def output(command, path):
    done = subprocess.run([*command, path], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout, done.returncode


def differs(gyre, node, seed, folder):
    path = pathlib.Path(folder) / f"{seed}.js"
    path.write_text(random_programs.program(seed))
    for _ in range(3):
        expected = output([node], path)
        got = output([gyre, "run"], path)
        if expected == got:
            return None
    return expected, got


def main():
    gyre, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    node = shutil.which("node")
    if node is None:
        print("skipped: no node is installed to compare with")
        return SKIPPED
    failures = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        seeds = range(first, first + count)
        for seed, found in zip(seeds, pool.map(lambda one: differs(gyre, node, one, folder), seeds)):
            if found is None or seed in NAMED:
                continue
            failures += 1
            (expected, status), (got, gyre_status) = found
            print(f"seed {seed}: Node ends with {status}, gyre with {gyre_status}")
            for number, (left, right) in enumerate(zip(expected.splitlines() + ["<end>"], got.splitlines() + ["<end>"])):
                if left != right:
                    print(f"  line {number + 1}: Node prints {left!r}, gyre {right!r}")
                    break
    print(f"{count} programs, {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
