# SPDX-License-Identifier: Apache-2.0
"""The runner of examples notices an example that does not do what its head comment says."""

import stat
import tempfile
import unittest
from pathlib import Path

from example_text import promised_run, region
from run_example import complaints

HEAD = """// SPDX-License-Identifier: Apache-2.0
// Says two things.
//
//     $ build/release/bin/examples/01_two
//     one
//
//     two
"""


class RunExample(unittest.TestCase):
    def complaints_about(self, source, prints, status=0):
        with tempfile.TemporaryDirectory() as folder:
            source_path = Path(folder) / "01_two.cpp"
            source_path.write_text(source, encoding="utf-8")
            program = Path(folder) / "program"
            program.write_text(f"#!/bin/sh\nprintf '{prints}'\nexit {status}\n", encoding="utf-8")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            return list(complaints(source_path, program))

    def test_what_is_promised_passes(self):
        self.assertEqual(self.complaints_about(HEAD, r"one\n\ntwo\n"), [])

    def test_other_output_is_noticed(self):
        self.assertIn("something else", self.complaints_about(HEAD, r"one\n\nthree\n")[0])

    def test_a_program_runs_on_the_simulated_platform_too(self):
        prints = "one\\n\\ntwo\\n'$GYRE_PLATFORM'"
        for line in ("    return gyre::run(app);\n", "    Program program;\n"):
            found = self.complaints_about(HEAD + "\n" + line, prints)
            self.assertIn("+sim", "".join(found), line)
        self.assertNotIn("+sim", "".join(self.complaints_about(HEAD, prints)))

    def test_a_failing_example_is_noticed(self):
        self.assertIn("ends with 3", self.complaints_about(HEAD, r"one\n\ntwo\n", 3)[0])

    def test_a_wrong_command_is_noticed(self):
        head = HEAD.replace("01_two", "02_other")
        self.assertIn("02_other", self.complaints_about(head, r"one\n\ntwo\n")[0])

    def test_a_long_example_is_noticed(self):
        self.assertIn("lines", self.complaints_about(HEAD + "\n" * 80, r"one\n\ntwo\n")[0])

    def test_prose_after_the_output_ends_it(self):
        self.assertEqual(promised_run(HEAD + "// More.\n")[1], "one\n\ntwo\n")

    def test_a_head_without_a_run_is_an_error(self):
        with self.assertRaises(ValueError):
            promised_run("// Nothing.\n")

    def test_a_region_is_the_text_between_its_marks(self):
        self.assertEqual(region("x\n// [a]\none\n\ntwo\n// [/a]\ny\n", "a"), "one\n\ntwo\n")
        with self.assertRaises(ValueError):
            region("// [a]\n", "a")


if __name__ == "__main__":
    unittest.main()
