# SPDX-License-Identifier: Apache-2.0
"""gyre uv: a program that loads libuv.so.1 gets the one of gyre, and one that does not is told of in one line.

    uv.test.py PROGRAM"""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import program
from program import gyre

ASK_VERSION = """
import ctypes, sys
library = ctypes.CDLL("libuv.so.1")
library.uv_version_string.restype = ctypes.c_char_p
print(library.uv_version_string().decode(), *sys.argv[1:])
sys.exit(7)
"""
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(some NONE)
enable_testing()
foreach(i RANGE 8)
    add_test(NAME test${i} COMMAND sh -c "echo ${i}")
endforeach()
"""


class Uv(unittest.TestCase):
    def test_the_library_is_the_one_of_gyre(self):
        result = gyre("uv", "--", sys.executable, "-c", ASK_VERSION, "--flag", "word")
        self.assertEqual((result.stdout, result.stderr, result.returncode), ("1.52.1 --flag word\n", "", 7))

    def test_a_program_that_does_not_load_it_is_told_of_in_one_line(self):
        result = gyre("uv", "--", "sh", "-c", "exit 3")
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, r"^gyre uv: sh never loaded libuv.so.1: [^\n]*\n$")

    def test_a_program_that_cannot_be_run_or_is_killed(self):
        result = gyre("uv", "--", "/no/such/program")
        self.assertEqual((result.returncode, result.stderr.count("\n")), (127, 1))
        self.assertEqual(gyre("uv", "--", "sh", "-c", "kill -9 $$").returncode, 128 + 9)
        self.assertEqual(gyre("uv").returncode, 2)

    @unittest.skipUnless(shutil.which("cmake") and shutil.which("ctest"), "cmake is not installed")
    def test_cmake_and_ctest_run_unmodified(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
            made = gyre("uv", "--", "cmake", "-S", folder, "-B", f"{folder}/build")
            self.assertEqual(made.returncode, 0, made.stderr)
            tested = gyre("uv", "--", "ctest", "-j4", "--test-dir", f"{folder}/build")
            self.assertIn("100% tests passed", tested.stdout)


if __name__ == "__main__":
    program.take_program()
    unittest.main()
