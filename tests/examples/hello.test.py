#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of the README that `gyre run` runs: each is a file of examples/hello, and prints the product.

    hello.test.py GYRE
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
GYRE = sys.argv.pop(1)
# The kind of a block, its file, the rest of the command, and what it prints.
PROGRAMS = [
    ("js", "hello.mjs", [], "6 times 7 is 42\n"),
    ("vela", "hello.vela", [], "6 times 7 is 42\n"),
    ("wat", "hello.wat", ["--entry", "times", "--arg", "6", "--arg", "7"], '{"kind":"value","value":42}\n'),
]


class Hello(unittest.TestCase):
    def test_each_program_of_the_readme_runs_as_it_says(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        for kind, name, arguments, expected in PROGRAMS:
            with self.subTest(kind):
                path = ROOT / "examples/hello" / name
                blocks = re.findall(rf"```{kind}\n(.*?)```", readme, re.DOTALL)
                lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
                self.assertEqual(blocks, ["".join(line for line in lines if "SPDX-License" not in line)])
                self.assertIn(f"`{' '.join(['gyre', 'run', name, *arguments])}`", readme.replace("\n", " "))
                done = subprocess.run(
                    [GYRE, "run", path, *arguments], capture_output=True, text=True, check=False, timeout=600
                )
                if "this build has no" in done.stderr:
                    self.skipTest(done.stderr.strip())
                self.assertEqual((done.stdout, done.stderr, done.returncode), (expected, "", 0))


if __name__ == "__main__":
    unittest.main()
