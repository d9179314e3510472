#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The front end takes time in proportion to its source: instructions are counted under valgrind, for each shape.

    instructions.test.py PROGRAM VALGRIND

With GYRE_TEST_LONG from 1,000 parts to 16,000, else to 4,000.
"""
import math
import os
import re
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

PROGRAM, VALGRIND = sys.argv[1:3]
SMALL, LARGE = 1_000, 16_000 if os.environ.get("GYRE_TEST_LONG") else 4_000
JOBS = int(os.environ.get("GYRE_JOBS") or os.cpu_count())
SLACK = 1.25  # Tables that double, and caches that are filled once.


def instructions(name, count):
    command = [VALGRIND, "--tool=callgrind", "--callgrind-out-file=/dev/null", PROGRAM, name, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


class Instructions(unittest.TestCase):
    def test_grow_no_faster_than_the_source_times_its_logarithm(self):
        names = subprocess.run([PROGRAM], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertGreaterEqual(len(names), 20)
        growth_max = LARGE / SMALL * math.log(LARGE) / math.log(SMALL) * SLACK
        with ThreadPoolExecutor(JOBS) as pool:
            base = instructions(names[0], 1)
            counts = pool.map(lambda name: [instructions(name, count) - base for count in (SMALL, LARGE)], names)
            for name, (first, second) in zip(names, counts):
                with self.subTest(name):
                    self.assertLessEqual(second, first * growth_max, f"{first} instructions for {SMALL} parts, {second} for {LARGE}")
                    print(f"{name}: {second / first:.1f} times for {LARGE // SMALL} times the parts", flush=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
