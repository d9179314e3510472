# SPDX-License-Identifier: Apache-2.0
"""Shows each reason for which tools/clauses fails, in a small tree of its own."""

import unittest

from scratch import ToolTest

LEDGER = "| id | clause |\n| --- | --- |\n| K01 | First. |\n| K02 | Second. |\n| V01 | Third. |\n"
MARK = "clause" + ":"
CLEAN = {
    "docs/CLAUSES.md": LEDGER,
    "docs/clauses-open.md": "| id | what is missing |\n| --- | --- |\n| V01 | waits for runs |\n",
    "gyre/kernel/loop.test.cpp": f"TEST(Loop, K01_starts) {{\n}}\n\nTEST(Loop, stops) {{\n    // {MARK} K02\n}}\n",
}


class Clauses(ToolTest):
    tool = "clauses"

    def fails_with(self, message, change):
        result = self.run_on(CLEAN | change)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(message, result.stdout)

    def test_tested_or_listed_passes(self):
        result = self.run_on(CLEAN)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("gyre/kernel/loop.test.cpp:1 Loop.K01_starts", result.stdout)
        self.assertIn("gyre/kernel/loop.test.cpp:4 Loop.stops", result.stdout)
        self.assertIn("V01 open: waits for runs", result.stdout)
        self.assertIn("3 clauses: 2 tested, 1 open, 0 problems", result.stdout)

    def test_a_clause_without_a_test_that_is_not_listed(self):
        self.fails_with("K02 has no test", {"gyre/kernel/loop.test.cpp": "TEST(Loop, K01_starts) {\n}\n"})

    def test_a_listed_clause_that_has_a_test(self):
        self.fails_with("V01 has a test, yet", {"tests/run.cpp": "TEST(Run, V01_ends) {\n}\n"})

    def test_a_listed_clause_that_does_not_exist(self):
        self.fails_with("lists V09", {"docs/clauses-open.md": "| V01 | waits |\n| V09 | waits |\n"})

    def test_a_comment_that_names_no_clause_of_the_ledger(self):
        self.fails_with("names K77", {"tests/x.cpp": f"// {MARK} K77\nTEST(X, y) {{\n}}\n"})

    def test_a_comment_that_belongs_to_no_test(self):
        self.fails_with("tests/x.cpp:3: this clause comment belongs to no test",
                        {"tests/x.cpp": f"TEST(X, y) {{\n    int z;\n    // {MARK} K01\n}}\n"})

    def test_a_name_in_passing_is_not_a_test(self):
        self.fails_with("K02 has no test", {"gyre/kernel/loop.test.cpp": "// K02\nTEST(Loop, K01_starts) {\n}\n"})

    def test_every_place_where_a_test_may_name_a_clause(self):
        for path, text in (
            ("gyre/a/x.test.cpp", f"// {MARK} K01, K02\nTEST_F(X, y) {{\n}}\n"),
            ("gyre/a/x.test.cpp", f"TEST_P(X, y) {{  // {MARK} K01, K02\n}}\n"),
            ("gyre/a/x.test.cpp", f"RC_GTEST_PROP(X,\n              y,\n              (int z)) {{\n    // {MARK} K01 K02\n}}\n"),
            ("tests/property/x.cpp", f"TEST(X, y) {{\n    // {MARK} K01, K02\n}}\n"),
            ("tests/x.py", f"def test_y():\n    # {MARK} K01, K02\n    pass\n"),
            ("tests/x.sh", f"#!/bin/sh\n# {MARK} K01, K02\n"),
            ("tests/x.js", f"// {MARK} K01, K02\n"),
        ):
            result = self.run_on(CLEAN | {"gyre/kernel/loop.test.cpp": "", path: text})
            self.assertEqual(result.returncode, 0, path + "\n" + result.stdout)

    def test_a_prefix_shows_and_checks_its_clauses_only(self):
        result = self.run_on(CLEAN | {"gyre/kernel/loop.test.cpp": ""}, "--ids", "V")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertNotIn("K01", result.stdout)


if __name__ == "__main__":
    unittest.main()
