# SPDX-License-Identifier: Apache-2.0
"""The commands on Vela files from outside: what they say, and the codes they end with.

    cli.test.py PROGRAM"""

import os
import stat
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
HERE = os.path.dirname(os.path.abspath(__file__))


def gyre(*arguments, folder=None):
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, errors="replace", check=False, cwd=folder, timeout=60
    )


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()


class Fmt(InFolder):
    UGLY = "fn f( )->Number{\n    return   1 ;\n}\n"
    NEAT = "fn f() -> Number {\n  return 1\n}\n"

    def test_lays_out_in_place_and_keeps_the_mode(self):
        path = self.write("a.vela", self.UGLY)
        os.chmod(path, 0o640)
        result = gyre("fmt", "a.vela", folder=self.folder)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(self.read("a.vela"), self.NEAT)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)
        self.assertEqual(os.listdir(self.folder), ["a.vela"])

    def test_check_names_what_is_not_laid_out_and_changes_nothing(self):
        self.write("a.vela", self.UGLY)
        self.write("b.vela", self.NEAT)
        result = gyre("fmt", "--check", "a.vela", "b.vela", folder=self.folder)
        self.assertEqual((result.returncode, result.stdout), (1, "a.vela\n"))
        self.assertEqual(self.read("a.vela"), self.UGLY)
        self.assertEqual(gyre("fmt", "--check", "b.vela", folder=self.folder).returncode, 0)

    def test_leaves_a_file_with_an_error_alone_and_ends_with_2(self):
        self.write("a.vela", "fn f( {\n")
        result = gyre("fmt", "a.vela", folder=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertTrue(result.stderr.startswith("a.vela:1:7: error[E0201]: "), result.stderr)
        self.assertEqual(self.read("a.vela"), "fn f( {\n")

    def test_of_what_is_no_file_is_one_line_and_2(self):
        for path in ("missing.vela", "."):
            result = gyre("fmt", path, folder=self.folder)
            self.assertEqual(result.returncode, 2, path)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertIn(path, result.stderr)
        self.assertEqual(gyre("fmt").returncode, 2)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
