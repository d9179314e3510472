# SPDX-License-Identifier: Apache-2.0
"""What tools/breaks makes of a break: in a small tree whose "program" is a shell script that speaks as GoogleTest does."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from scratch import REPOSITORY

# The fake cmake copies the source to the program, or fails if the source has the word syntax-error in it.
CMAKE = """#!/bin/sh
echo "$@" >> built.txt
grep -q syntax-error gyre/rule.sh && exit 1
mkdir -p build/release/bin && cp gyre/rule.sh build/release/bin/test_rule && chmod +x build/release/bin/test_rule
"""
# Two tests: the rule counts to two, and another one. With many=1 there are 40 more that fail.
RULE = """#!/bin/sh
rule=2
other=ok
many=0
filter=${1#--gtest_filter=}
runs() {
    case "$filter" in
        "*-"*"$1"*) return 1 ;;
        "*-"*) return 0 ;;
        *"$1"*) return 0 ;;
    esac
    return 1
}
say() {
    runs "$1" || return 0
    echo "[ RUN      ] $1"
    case $2 in
        ok) echo "[       OK ] $1 (0 ms)" ;;
        bad) echo "[  FAILED  ] $1 (0 ms)"; status=1 ;;
        flaky) mkdir failed-once 2>/dev/null && echo "[  FAILED  ] $1 (0 ms)" || echo "[       OK ] $1 (0 ms)" ;;
        crash) kill -6 $$ ;;
        hang) sleep 60 ;;
    esac
}
status=0
case $rule in 2) verdict=ok ;; 3) verdict=bad ;; *) verdict=$rule ;; esac
say Rule.K01_counts_to_two $verdict
say Rule.another $other
for i in $(seq $((many * 40))); do say Many.$i bad; done
exit $status
"""
BREAK = "break K01-count\nfile: gyre/rule.sh\ntest: test_rule Rule.K01*\nquick: yes\nseen: yes\n--- old\nrule=2\n--- new\nrule=3\n--- end\n"


class Breaks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.write("bin/cmake", CMAKE)
        (self.root / "bin/cmake").chmod(0o755)
        self.write("gyre/rule.sh", RULE)
        self.write("gyre/rule.test.cpp", "TEST(Rule, K01_counts_to_two) {\n}\n\nTEST(Rule, another) {\n}\n")
        self.write("docs/CLAUSES.md", "| K01 | Counts to two. |\n| K02 | More. |\n")
        self.write("tests/breaks/rule.breaks", BREAK)

    def write(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def command(self, *arguments):
        return [sys.executable, "-B", str(REPOSITORY / "tools/breaks"), *arguments, str(self.root)]

    def environment(self):
        return {**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"}

    def run_tool(self, *arguments):
        return subprocess.run(self.command(*arguments), cwd=self.root, env=self.environment(), capture_output=True,
                              text=True, check=False)

    def gives(self, status, code, change, *arguments):
        self.write("tests/breaks/rule.breaks", change)
        result = self.run_tool("--json", *arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        row = json.loads(result.stdout)[0]
        self.assertEqual(row["status"], status)
        self.assertEqual((self.root / "gyre/rule.sh").read_text(), RULE, "the source is not as it was")
        built = (self.root / "build/release/bin/test_rule").read_text()
        self.assertEqual(built, RULE, "the build is not as it was")
        return row

    def test_a_break_that_fails_the_test_of_its_clause_is_caught(self):
        row = self.gives("caught", 0, BREAK)
        self.assertEqual(row["failed"], ["Rule.K01_counts_to_two"])

    def test_a_test_that_ends_the_program_has_failed_and_the_others_still_run(self):
        row = self.gives("caught", 0, BREAK.replace("rule=3", "rule=crash\nother=bad").replace("rule=2\n", "rule=2\nother=ok\n"))
        self.assertEqual(row["failed"], ["Rule.K01_counts_to_two", "Rule.another"])

    def test_a_break_that_no_test_notices_survives(self):
        self.gives("survived", 1, BREAK.replace("rule=3", "rule=2 # no change"))

    def test_a_break_that_only_another_test_notices_does_not_count(self):
        self.gives("caught by another test", 1, BREAK.replace("old\nrule=2", "old\nother=ok").replace("rule=3", "other=bad"))

    def test_the_failed_test_must_name_the_clause(self):
        change = BREAK.replace("Rule.K01*", "Rule.another").replace("old\nrule=2", "old\nother=ok").replace("rule=3", "other=bad")
        self.gives("caught by no test that names the clause", 1, change)
        self.gives("caught", 0, change.replace("K01-count", "count"))

    def test_a_break_that_fails_more_than_30_tests_is_too_coarse(self):
        self.gives("too coarse", 1, BREAK.replace("old\nrule=2\n", "old\nrule=2\nother=ok\nmany=0\n").replace("rule=3", "rule=3\nother=ok\nmany=1"))

    def test_a_build_error_is_not_a_catch(self):
        self.gives("build error", 1, BREAK.replace("rule=3", "syntax-error"))

    def test_a_test_that_fails_without_the_break_proves_nothing(self):
        broken = RULE.replace("rule=2", "rule=3")
        self.write("gyre/rule.sh", broken)
        self.write("tests/breaks/rule.breaks", BREAK.replace("old\nrule=2", "old\nmany=0").replace("new\nrule=3", "new\nmany=0 # as it is"))
        result = self.run_tool()
        self.assertEqual(result.returncode, 1)
        self.assertIn("the test fails without the break too", result.stderr)

    def test_a_test_that_fails_once_on_a_loaded_machine_still_proves_the_rule(self):
        self.write("gyre/rule.sh", RULE.replace("rule=2", "rule=flaky"))
        self.write("tests/breaks/rule.breaks", BREAK.replace("old\nrule=2", "old\nrule=flaky"))
        result = self.run_tool()
        self.assertTrue((self.root / "failed-once").exists())
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_tests_that_did_not_get_to_run_in_time_are_no_survival(self):
        self.gives("no time", 0, BREAK.replace("rule=3", "rule=hang"), "--minutes", "0.02")

    def test_other_targets_are_built_too(self):
        self.gives("caught", 0, BREAK.replace("quick: yes", "build: gyre_cli\nquick: yes"))
        for line in (self.root / "built.txt").read_text().splitlines():
            self.assertTrue(line.endswith("--target gyre_cli test_rule"), line)

    def test_every_break_of_this_tree_applies(self):
        sys.path.insert(0, str(REPOSITORY / "tools"))
        import break_files
        for each in break_files.read_all(REPOSITORY):
            with self.subTest(each.id):
                each.broken((REPOSITORY / each.file).read_text(encoding="utf-8"))

    def test_a_change_that_does_not_apply_is_an_error_that_says_so(self):
        for old, count in (("rule=9", 0), ("    esac", 2)):
            self.write("tests/breaks/rule.breaks", BREAK.replace("old\nrule=2", "old\n" + old))
            result = self.run_tool()
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"K01-count does not apply: its old text is {count} times in gyre/rule.sh", result.stderr)

    def test_a_file_of_a_reviewer_is_run_instead(self):
        self.write("theirs.breaks", BREAK.replace("K01-count", "K01-theirs"))
        result = self.run_tool("--file", str(self.root / "theirs.breaks"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("K01-theirs: caught by Rule.K01_counts_to_two, 1 failed", result.stdout)

    def test_what_a_file_may_not_say(self):
        for change, message in (
            (BREAK + BREAK, "is at tests/breaks/rule.breaks:1 already"),
            (BREAK.replace("file: gyre", "file: ../gyre"), "is not a path inside the tree"),
            (BREAK.replace("quick: yes", "quack: yes"), "is no field of a break"),
            (BREAK.replace("--- end\n", ""), "has no '--- end'"),
            (BREAK.replace("test: test_rule Rule.K01*\n", ""), "needs file, test"),
            (BREAK.replace("rule=3", "rule=2"), "changes nothing"),
        ):
            self.write("tests/breaks/rule.breaks", change)
            result = self.run_tool()
            self.assertEqual(result.returncode, 2, message)
            self.assertIn(message, result.stderr)

    def test_which_breaks_are_chosen(self):
        slow = BREAK.replace("K01-count", "slow-one").replace("quick: yes\n", "")
        new = BREAK.replace("K01-count", "new-one").replace("seen: yes\n", "")
        self.write("tests/breaks/rule.breaks", BREAK + slow + new)
        for arguments, names in ((["--list"], {"K01-count", "slow-one", "new-one"}), (["--list", "--ids", "slow"], {"slow-one"}),
                                 ([], {"K01-count"}), (["--draw", "seed", "5"], {"K01-count"})):
            result = self.run_tool(*arguments)
            self.assertEqual({line.split(":")[0] for line in result.stdout.splitlines()[:-1]}, names, arguments)
        self.assertIn("no break has an id that begins with 'K07'", self.run_tool("--ids", "K07").stderr)

    def test_the_list_names_clauses_that_have_a_test_and_no_break(self):
        self.write("gyre/more.test.cpp", "TEST(More, K02_is_more) {\n}\n")
        self.assertIn("without a break: K02", self.run_tool("--list").stdout)

    def test_the_reader_of_the_list_may_stop_in_the_middle(self):
        self.write("tests/breaks/rule.breaks",
                   "".join(BREAK.replace("K01-count", f"K01-{number}") for number in range(5000)))
        process = subprocess.Popen(self.command("--list"), cwd=self.root, env=self.environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.stderr.read(), "")
        process.stderr.close()
        process.wait()

    def stopped_while_it_runs(self, number):
        self.write("tests/breaks/rule.breaks", BREAK.replace("rule=3", "rule=hang"))
        process = subprocess.Popen(self.command(), cwd=self.root, env=self.environment(), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        program = self.root / "build/release/bin/test_rule"
        while not program.exists():
            time.sleep(0.01)
        process.send_signal(number)
        process.wait()

    def test_the_source_and_the_build_are_put_back_after_ctrl_c(self):
        self.stopped_while_it_runs(signal.SIGINT)
        self.assertEqual((self.root / "gyre/rule.sh").read_text(), RULE)
        self.assertEqual((self.root / "build/release/bin/test_rule").read_text(), RULE)

    def test_a_file_that_the_compiler_does_not_read_gets_a_new_time(self):
        # A step of the build embeds it in a source, and must do so again.
        source = self.root / "gyre/rule.sh"
        os.utime(source, (1, 1))
        self.gives("caught", 0, BREAK)
        self.assertEqual(source.read_text(), RULE)
        self.assertGreater(source.stat().st_mtime, 1)

    def test_what_a_killed_run_left_is_put_back_by_the_next(self):
        self.stopped_while_it_runs(signal.SIGKILL)
        self.assertNotEqual((self.root / "gyre/rule.sh").read_text(), RULE)
        self.assertEqual(self.run_tool("--restore").returncode, 0)
        self.assertEqual((self.root / "gyre/rule.sh").read_text(), RULE)


if __name__ == "__main__":
    unittest.main()
