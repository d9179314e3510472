# SPDX-License-Identifier: Apache-2.0
"""gyre uv: a program that loads libuv.so.1 gets the one of gyre, and one that does not is told of in one line.

    uv.test.py PROGRAM"""

import json
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
TWO_HANDLES = """
import ctypes
uv = ctypes.CDLL("libuv.so.1")
uv.uv_default_loop.restype = ctypes.c_void_p
loop = ctypes.c_void_p(uv.uv_default_loop())
callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda handle: None)
timers = [ctypes.create_string_buffer(uv.uv_handle_size(13)) for _ in range(2)]
for timer in timers:
    assert uv.uv_timer_init(loop, timer) == 0
assert uv.uv_timer_start(timers[0], callback, ctypes.c_uint64(5), ctypes.c_uint64(0)) == 0
assert uv.uv_run(loop, 0) == 0
assert uv.uv_timer_start(timers[1], callback, ctypes.c_uint64(5), ctypes.c_uint64(0)) == 0
"""
SAY_SIGNAL = """
import signal, sys
def say(number, frame):
    print(number, flush=True)
    sys.exit(5)
signal.signal(signal.SIGTERM, say)
print("ready", flush=True)
signal.pause()
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

    def test_a_signal_is_passed_on_and_the_status_is_the_programs(self):
        for code, expected in ((SAY_SIGNAL, ("15\n", 5)), (SAY_SIGNAL.replace("say)", "signal.SIG_DFL)"), ("", 128 + 15))):
            with program.start("uv", "--", sys.executable, "-c", code) as running:
                self.assertEqual(running.stdout.readline(), "ready\n")
                running.terminate()
                output, _ = running.communicate()
                self.assertEqual((output, running.returncode), expected)

    def test_stats_tell_of_each_loop_and_its_handles(self):
        result = gyre("uv", "--stats", "--", sys.executable, "-c", TWO_HANDLES)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stderr.splitlines()
        self.assertRegex(lines[0], r"^gyre uv: loop 1: [1-9]\d* iterations, \d+ events, waited 0\.\d{3} s of ")
        self.assertRegex(lines[0], r"at most \d+\.\d{3} ms between two waits$")
        self.assertRegex(lines[1], r"^gyre uv:   timer: not active, made at \S*\+0x[0-9a-f]+ \(\S+\)$")
        self.assertRegex(lines[2], r"^gyre uv:   timer: keeps the loop alive, made at \S*\+0x")
        self.assertEqual(len(lines), 3)

    def test_a_forked_child_tells_nothing(self):
        code = TWO_HANDLES.replace("import ctypes\n", "import ctypes, os, sys\n") + "if os.fork() > 0: os.wait()\nsys.exit(0)\n"
        result = gyre("uv", "--stats", "--", sys.executable, "-c", code)
        self.assertEqual((result.returncode, result.stderr.count("iterations")), (0, 1), result.stderr)

    def test_a_trace_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "trace.json")
            result = gyre("uv", "--trace", str(path), "--", sys.executable, "-c", TWO_HANDLES)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            names = {event["args"]["name"] for event in json.loads(path.read_text())["traceEvents"] if "name" in event.get("args", {})}
            self.assertIn("loop 1", names)

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
