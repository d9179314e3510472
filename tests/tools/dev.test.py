# SPDX-License-Identifier: Apache-2.0
"""The door itself: it lists its verbs, explains each, and refuses what it does not know."""

import re
import subprocess
import unittest

from scratch import REPOSITORY


def dev(*arguments):
    return subprocess.run([str(REPOSITORY / "dev"), *arguments], capture_output=True, text=True, check=False)


def verbs():
    return re.findall(r"^  (\w+)", dev().stdout, re.MULTILINE)


class Dev(unittest.TestCase):
    def test_without_an_argument_it_lists_its_verbs(self):
        self.assertEqual(verbs(), ["setup", "build", "test", "run", "bench", "format", "tree", "clauses", "fuzz", "ci"])

    def test_each_verb_explains_itself_and_does_nothing_else(self):
        for verb in verbs():
            result = dev(verb, "--help")
            self.assertEqual(result.returncode, 0, verb)
            self.assertTrue(result.stdout.startswith(f"./dev {verb}"), verb)

    def test_an_unknown_verb_is_a_usage_error(self):
        result = dev("dance")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no verb 'dance'", result.stderr)

    def test_each_preset_that_a_verb_takes_is_one(self):
        presets = dev("build", "--help").stdout.split("presets are ")[1].split(".")[0].split(", ")
        listed = subprocess.run(["cmake", "--list-presets"], cwd=REPOSITORY, capture_output=True, text=True, check=True)
        self.assertEqual(presets, re.findall(r'^  "(\w+)"', listed.stdout, re.MULTILINE))

    def test_setup_refuses_an_unknown_group(self):
        self.assertEqual(dev("setup", "dance").returncode, 2)


if __name__ == "__main__":
    unittest.main()
