# SPDX-License-Identifier: Apache-2.0
"""The door itself: it lists its verbs, explains each, and refuses what it does not know."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from scratch import REPOSITORY


def dev(*arguments):
    return subprocess.run([str(REPOSITORY / "dev"), *arguments], capture_output=True, text=True, check=False)


def verbs():
    return re.findall(r"^  (\w+)", dev().stdout, re.MULTILINE)


class Dev(unittest.TestCase):
    def test_without_an_argument_it_lists_its_verbs(self):
        self.assertEqual(verbs(), ["setup", "build", "test", "run", "bench", "format", "tree", "clauses", "breaks", "docs", "attack", "fuzz", "ci"])

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


class TestsThatFail(unittest.TestCase):
    """What ./dev test makes of a ctest that fails: a copy of the door with tools that only speak."""

    def run_with(self, first, second_status, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            shutil.copy(REPOSITORY / "dev", place / "dev")
            (place / "build/dev").mkdir(parents=True)
            speaks = 'case "$*" in *--rerun-failed*) echo "1/1 Test #7: a.b ...   Passed    0.01 sec"; exit %d ;; esac\n' % second_status
            for name, text in {
                "tools/setup": "",
                "bin/cmake": 'echo "cmake $*" >>said\n',
                "bin/ninja": "echo 'test_task: phony'; echo 'test_http: phony'; echo 'test_http_json: phony'\n",
                "bin/ctest": f"{speaks}echo \"ctest $*\" >>said; echo '{first}'\nexit 8\n",
            }.items():
                (place / name).parent.mkdir(exist_ok=True)
                (place / name).write_text("#!/bin/sh\n" + text, encoding="utf-8")
                (place / name).chmod(0o755)
            paths = f"{place / 'bin'}:{os.environ['PATH']}"
            command = [str(place / "dev"), "test", "dev", *arguments]
            result = subprocess.run(command, env={**os.environ, "PATH": paths}, capture_output=True, text=True, check=False)
            self.said = (place / "said").read_text(encoding="utf-8") if (place / "said").exists() else ""
            return result

    def test_and_pass_when_run_alone_are_named(self):
        result = self.run_with("#7: a.b ***Failed", second_status=0)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("***Failed", result.stdout)
        self.assertRegex(result.stdout, "FLAKY, passed when run alone: .*a.b")

    def test_are_those_of_the_modules_that_are_named(self):
        self.run_with("", 0, "task", "http", "--stop-on-failure")
        self.assertRegex(self.said, r"cmake --build build/dev -j \d+ --target test_task test_http test_http_json\n")
        self.assertRegex(self.said, r"ctest .*--stop-on-failure -R \^\(task\|http\)\(\[\._\]\|\$\)\n")
        result = self.run_with("", 0, "dance")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no module 'dance' has tests", result.stderr)

    def test_and_fail_again_have_failed(self):
        result = self.run_with("#7: a.b ***Failed", second_status=8)
        self.assertEqual(result.returncode, 8)
        self.assertNotIn("FLAKY", result.stdout)

    def test_by_the_word_of_a_sanitizer_are_not_tried_again(self):
        for word in ["WARNING: ThreadSanitizer: data race", "ERROR: AddressSanitizer: heap-use-after-free", "x.cpp:1: runtime error: shift"]:
            self.assertEqual(self.run_with(word, second_status=0).returncode, 8, word)


class LongRun(unittest.TestCase):
    """./dev ci --long, with steps that only speak."""

    def run_steps(self, *steps, before="", options=()):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            (place / "tools").mkdir()
            (place / "docs").mkdir()
            for name in ["dev", "tools/long_run"]:
                shutil.copy(REPOSITORY / name, place / name)
            page = place / "docs/long-run.md"
            if before:
                page.write_text(before, encoding="utf-8")
            arguments = [word for step in steps for word in ("--step", step)]
            command = [str(place / "dev"), "ci", "--long", *arguments, *options]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            self.page = self.without_times(page.read_text(encoding="utf-8")) if page.exists() else ""
            result.stdout = self.without_times(result.stdout)
            return result

    def without_times(self, text):
        """With all times in seconds as 0, which are another matter on a loaded machine."""
        return re.sub(r"\| \d+ \|$", "| 0 |", re.sub(r", \d+ s\b", ", 0 s", text), flags=re.MULTILINE)

    def test_writes_a_row_for_each_step(self):
        result = self.run_steps("one=echo '100% tests passed, 0 tests failed out of 30'", "two=true")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(self.page, r"\n- Date of the last row: \d{4}-\d\d-\d\d \d\d:\d\d UTC\n- Result: 2 steps, 0 failures, 0 s")
        self.assertIn(
            "| one | `echo '100% tests passed, 0 tests failed out of 30'` | unknown | 30 runs | 0 | 0 |", self.page)
        self.assertIn("| two | `true` | unknown | 1 runs | 0 | 0 |", self.page)

    def test_keeps_the_rows_of_the_steps_that_only_leaves_out(self):
        self.run_steps("one=false | true; exit 3", "two=exit 4")
        self.run_steps("one=true", "two=exit 5", before=self.page, options=["--only", "two"])
        self.assertIn("- Result: 2 steps, 2 failures, 0 s", self.page)
        self.assertIn("| one | `false \\| true; exit 3` | unknown | 1 runs | 1 | 0 |", self.page)
        self.assertIn("\n- one: exit status 3; see `build/log/long-one.log`\n- two: exit status 5; see", self.page)
        self.run_steps("one=true", "two=true", before=self.page, options=["--only", "on,tw"])
        self.assertNotIn("## Failures", self.page)
        self.assertEqual(self.run_steps("one=true", options=["--only", "three"]).returncode, 2)

    def test_writes_the_page_after_each_step(self):
        self.run_steps("one=true", "two=grep -q '^. one ' docs/long-run.md")
        self.assertIn("- Result: 2 steps, 0 failures", self.page)

    def test_prints_a_line_for_each_step_and_a_summary(self):
        result = self.run_steps("one=true", "two=true")
        self.assertIn("[2/2] two: true\n[2/2] two: 1 runs, passed, 0 s\nlong run: 2 steps, 0 failed, 0 s\n", result.stdout)

    def test_fails_where_a_step_failed_and_runs_the_others(self):
        said = "97% tests passed, 1 tests failed out of 30\n\t 12 - kernel.Inbox.keeps_order (Failed)"
        result = self.run_steps(f"bad=echo '{said}'; exit 8", "worse=exit 3", "good=true")
        self.assertEqual(result.returncode, 1)
        self.assertIn("FAILED: bad: kernel.Inbox.keeps_order (Failed)", result.stdout)
        self.assertIn("- bad: kernel.Inbox.keeps_order (Failed); see `build/log/long-bad.log`", self.page)
        self.assertIn("- worse: exit status 3; see", self.page)
        self.assertIn("| good | `true` | unknown | 1 runs | 0 | 0 |", self.page)

    def test_lists_its_steps(self):
        result = dev("ci", "--long", "--list", "--fuzz-seconds", "7", "--seed", "5")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("fuzz: GYRE_FUZZ_SEED=5 ./dev fuzz 7\n", result.stdout)
        self.assertRegex(result.stdout, r"tests of release, round 3 of 3: ctest --preset release -j \d+ --schedule-random\n")
        for preset in ["asan", "tsan"]:
            self.assertIn(f"tests of {preset}, round 2 of 2: ", result.stdout)

    def test_refuses_what_is_no_step(self):
        self.assertEqual(self.run_steps("dance").returncode, 2)


if __name__ == "__main__":
    unittest.main()
