# SPDX-License-Identifier: Apache-2.0
"""The replicated store finds its planted bugs, says so in one line of JSON, repeats them and shrinks them.

    replicated_store.test.py PROGRAM [--long]

Those that are found within a second or two; all six, within 20,000 seeds each, with --long."""

import json
import shlex
import subprocess
import sys
import unittest

PROGRAM = ""
QUICK_BUGS = [2, 4, 6]
BUGS = QUICK_BUGS
SEEDS_MAX = 20_000


def store(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)


class ReplicatedStore(unittest.TestCase):
    def test_each_bug_is_found_and_its_history_is_printed(self):
        for bug in BUGS:
            with self.subTest(bug=bug):
                found = store("--bug", bug, "--seeds", SEEDS_MAX, "--plan", "hostile", "--quiet")
                self.assertEqual(found.returncode, 1, found.stderr)
                line = json.loads(found.stdout)
                self.assertLessEqual(line["seed"], SEEDS_MAX)
                self.assertIn("is not linearizable", line["why"])
                self.assertRegex(found.stderr, r"client \d: (get|append) [xy] ")
                again = shlex.split(found.stderr.split("again: ")[1])
                repeated = subprocess.run(again, capture_output=True, text=True, check=False)
                self.assertEqual((repeated.returncode, repeated.stdout), (1, found.stdout))
                right = store("--seed", line["seed"], "--plan", "hostile")
                self.assertEqual((right.returncode, right.stdout), (0, ""), right.stderr)

    def test_a_plan_shrinks_and_still_fails(self):
        found = store("--bug", 4, "--seeds", SEEDS_MAX, "--plan", "hostile", "--quiet", "--shrink")
        self.assertEqual(found.returncode, 1, found.stderr)
        small = json.loads(found.stdout)
        whole = json.loads(store("--bug", 4, "--seed", small["seed"], "--plan", "hostile").stdout)
        self.assertLess(len(small["plan"]), len(whole["plan"]) / 3)
        self.assertLess(small["sizes"]["requests"], whole["sizes"]["requests"])
        sizes = [word for name, value in small["sizes"].items() for word in ("--size", f"{name}={value}")]
        again = store("--bug", 4, "--seed", small["seed"], "--plan", "; ".join(small["plan"]), *sizes)
        self.assertEqual((again.returncode, json.loads(again.stdout)), (1, small))

    def test_bad_input_is_one_line_and_status_2(self):
        for words, what in [
            (["--bug", "7"], "from 1 to 6"),
            (["--bug"], "from 1 to 6"),
            (["--plan", "wild"], "no plan"),
            (["--plan", "at 1s cut s1 s9 for 1s"], "no host 's9'"),
            (["--plan", "at 1s melt s1"], "no fault"),
            (["--plan", "at 2s heal; at 1s heal"], "the time goes back"),
            (["--seed", "1", "--trace", "123"], "of another build"),
            (["--size", "clients=4"], "from 1 to 3"),
            (["--size", "servers=1"], "no such size"),
            (["--what"], "unknown option"),
        ]:
            with self.subTest(words=words):
                result = store(*words)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertIn(what, result.stderr)

    def test_help_names_the_options(self):
        result = store("--help")
        self.assertEqual(result.returncode, 0)
        for option in ["--bug", "--seeds", "--seed", "--plan", "--shrink", "--trace", "--jobs"]:
            self.assertIn(option, result.stdout)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    if "--long" in sys.argv:
        sys.argv.remove("--long")
        BUGS = range(1, 7)
    unittest.main()
