# SPDX-License-Identifier: Apache-2.0
"""gyre run and gyre test on whole Vela programs: output, standard error and exit code.

    run.test.py PROGRAM"""

import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

PROGRAM = ""
HERE = Path(__file__).resolve().parent


def gyre(*arguments, folder=None):
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, errors="replace", check=False, cwd=folder,
        timeout=300,
    )


class Programs(unittest.TestCase):
    """Each program prints what stands beside it, on both clocks."""

    def check(self, path, clock):
        codes = dict(line.split() for line in (HERE / "programs/exit_codes.txt").read_text().splitlines())
        with tempfile.TemporaryDirectory() as folder:
            result = gyre("run", "--clock", clock, path, folder=folder)
        self.assertEqual(result.stdout, path.with_suffix(".out").read_text())
        errors = path.with_suffix(".stderr")
        if errors.exists():
            self.assertEqual(result.stderr, errors.read_text())
        self.assertEqual(result.returncode, int(codes.get(path.name, "0")))

    def test_of_the_guide(self):
        guide = (HERE.parent.parent / "docs/guide/vela.md").read_text()
        found = re.findall(r"```vela\n([^`]*)```\n\n```prints\n([^`]*)```", guide)
        self.assertGreaterEqual(len(found), 10)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "guide.vela"
            for program, output in found:
                path.write_text(program)
                with self.subTest(program=program):
                    result = gyre("run", "--clock", "virtual", path, folder=folder)
                    self.assertEqual((result.stdout, result.stderr, result.returncode), (output, "", 0))

    @unittest.skipUnless(platform.machine() == "x86_64", "only this processor has a late binding")
    def test_start_without_the_library_of_scripts(self):
        def opens_it(name, text):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / name
                path.write_text(text)
                with subprocess.Popen([PROGRAM, "run", path], stdout=subprocess.PIPE, text=True) as running:
                    self.assertEqual(running.stdout.readline(), "ready\n")
                    maps = Path(f"/proc/{running.pid}/maps").read_text()
                    running.kill()
            self.assertIn("libc.so", maps)
            return "libnode.so" in maps

        self.assertFalse(opens_it("a.vela", 'async fn main() -> void {\n  print("ready")\n  await sleep(60000)\n}\n'))
        if "JavaScript: V8" in gyre("version").stdout:
            self.assertTrue(opens_it("a.js", "console.log('ready'); setTimeout(() => {}, 60000)\n"))

    def test_of_the_language_reference(self):
        # clause: A05 A06 A08 A10 A14 A15 A18 A19 A23 A26
        count = 0
        for path in sorted((HERE / "programs").glob("*.vela")):
            if not path.with_suffix(".out").exists():
                continue
            for clock in ("real", "virtual"):
                with self.subTest(path=path.name, clock=clock):
                    self.check(path, clock)
            count += 1
        self.assertGreaterEqual(count, 8)

    def test_that_do_not_compile_say_why(self):
        for path in sorted((HERE / "programs").glob("e*.vela")):
            with self.subTest(path=path.name):
                result = gyre("run", path.name, folder=path.parent)
                self.assertEqual(result.returncode, 2)
                self.assertEqual(result.stderr.splitlines()[0], path.with_suffix(".err").read_text().strip())

    def test_of_the_seed(self):
        # clause: A16 A17 A22 A24 A26 A30
        for path in sorted((HERE / "seed_run").glob("*.vela")):
            if path.with_suffix(".out").exists():
                with self.subTest(path=path.name):
                    self.check(path, "virtual")


    def test_of_the_standard_surface(self):
        count = 0
        for path in sorted((HERE / "surface").glob("*.vela")):
            for clock in ("real", "virtual"):
                with self.subTest(path=path.name, clock=clock):
                    self.check(path, clock)
            count += 1
        self.assertGreaterEqual(count, 6)

    def test_of_the_examples(self):
        count = 0
        for path in sorted((HERE.parent.parent / "examples/vela").glob("*.vela")):
            with self.subTest(path=path.name):
                self.check(path, "real")
                self.assertEqual(gyre("fmt", "--check", path).stdout, "")
            count += 1
        self.assertGreaterEqual(count, 10)

    def test_the_tests_of_the_examples_pass(self):
        count = 0
        for path in sorted((HERE.parent.parent / "examples/vela").glob("*.vela")):
            if "@test" not in path.read_text():
                continue
            result = gyre("test", path)
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertIn(", 0 failed", result.stdout)
            count += 1
        self.assertGreaterEqual(count, 2)


class Tests(unittest.TestCase):
    def test_functions_are_run_and_reported(self):
        # clause: A27 A32
        result = gyre("test", HERE / "seed_run/13_tests.vela")
        self.assertEqual(
            result.stdout,
            "ok   testAsyncFunction\n"
            "ok   testErrorHandling\n"
            "ok   testActorAsync\n"
            "FAIL testThatFails: AssertionError: one and one is two\n"
            "FAIL testThatPanics: Error: gone wrong\n"
            "FAIL testThatWaitsForever: deadlock: main waits on a Future that nothing can settle\n"
            "3 passed, 3 failed\n",
        )
        self.assertEqual(result.returncode, 1)

    def test_functions_are_chosen_by_name(self):
        result = gyre("test", "--filter", "Async", HERE / "seed_run/13_tests.vela")
        self.assertEqual(result.stdout, "ok   testAsyncFunction\nok   testActorAsync\n2 passed, 0 failed\n")
        self.assertEqual(result.returncode, 0)


class Ends(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def run_text(self, text, *options):
        path = os.path.join(self.folder, "a.vela")
        Path(path).write_text(text)
        return gyre("run", *options, "a.vela", folder=self.folder)

    def test_an_endless_loop_passes_the_time_limit(self):
        result = self.run_text("fn main() -> void { while true { } }\n", "--time-limit", "200ms")
        self.assertEqual(result.returncode, 4)
        self.assertIn("--time-limit", result.stderr)

    def test_a_memory_bomb_passes_the_memory_limit(self):
        text = 'fn main() -> void {\n  state s = "x"\n  while true { s = s + s + "y" }\n}\n'
        result = self.run_text(text, "--memory-limit", "64M")
        self.assertIn(result.returncode, (1, 4))

    def test_a_deadlock_names_who_waits(self):
        text = "async fn main() -> void {\n  await Future.pending()\n}\n"
        result = self.run_text(text, "--stack")
        self.assertEqual(result.returncode, 3)
        self.assertIn("deadlock: main waits on a Future that nothing can settle", result.stderr)
        self.assertIn("at main (a.vela:2:", result.stderr)

    def test_the_same_seed_gives_the_same_run(self):
        text = "async fn main() -> void {\n  for i in 0..5 {\n    await sleep(3)\n    print(now())\n  }\n}\n"
        runs = {self.run_text(text, "--clock", "virtual", "--seed", "7").stdout for _ in range(3)}
        self.assertEqual(runs, {"3\n6\n9\n12\n15\n"})

    def test_a_program_has_arguments_an_environment_and_children(self):
        text = """import 'system:process'
async fn main() -> void {
  print(args)
  print("${env("HOME").isSome} ${env("NO_SUCH_NAME_AT_ALL")}")
  output = await run("sh", ["-c", "echo out; echo err >&2; exit 3"])
  print("${output.status} ${output.stdout.trim()} ${output.stderr.trim()}")
  try {
    await run("no-such-program-at-all", [])
  } catch (e: IoError) {
    print("cannot run ${e.path}")
  }
  exit(7)
}
"""
        Path(self.folder, "a.vela").write_text(text)
        result = gyre("run", "a.vela", "one", "--two", folder=self.folder)
        self.assertEqual(
            result.stdout, '["one", "--two"]\ntrue None\n3 out err\ncannot run no-such-program-at-all\n'
        )
        self.assertEqual(result.returncode, 7)

    def test_an_unknown_module_has_a_suggestion(self):
        result = self.run_text("import 'system:htpp'\nfn main() -> void { }\n")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean `system:http`?", result.stderr)

    def test_a_server_ends_with_a_signal_and_the_program_goes_on(self):
        text = """import 'system:http'
async fn main() -> void {
  server = HttpServer::new("127.0.0.1:0")
  server.onRequest(req => Response.text("hi"))
  print(server.port)
  await server.listen()
  print("served")
}
"""
        Path(self.folder, "a.vela").write_text(text)
        child = subprocess.Popen([PROGRAM, "run", "a.vela"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        port = int(child.stdout.readline())
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=300) as answer:
            self.assertEqual(answer.read(), b"hi")
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.communicate(timeout=300)[0], "served\n")
        self.assertEqual(child.returncode, 0)

    def test_the_instructions_can_be_printed(self):
        Path(self.folder, "a.vela").write_text("fn add(a: Number, b: Number) -> Number { return a + b }\n")
        result = gyre("lower", "--code", "a.vela", folder=self.folder)
        self.assertEqual(result.returncode, 0)
        self.assertIn("add: 3 registers, 16 bytes; parameters: number number", result.stdout)
        self.assertIn("add_number 2 0 1", result.stdout)

    def test_another_ending_is_a_usage_error(self):
        result = gyre("run", "a.lua")
        self.assertEqual(result.returncode, 2)
        self.assertIn("a.lua: no language has this ending", result.stderr)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
