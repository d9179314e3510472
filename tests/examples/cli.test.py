# SPDX-License-Identifier: Apache-2.0
"""The program gyre from outside: its commands, what they say, and the codes they end with.

    cli.test.py PROGRAM"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
COLUMNS_MAX = 80
TOPICS = ["kernel", "loop", "jobs", "effects"]


def gyre(*arguments, **variables):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GYRE_")}
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, check=False, env={**environment, **variables}
    )


def commands():
    return re.findall(r"^  (\w+)  ", gyre("--help").stdout.split("Subcommands:")[1], re.MULTILINE)


class Program(unittest.TestCase):
    def test_help_lists_the_commands_and_each_has_help(self):
        self.assertEqual(commands(), ["tour", "run", "test", "sim", "inspect", "conform", "check", "explain", "fmt", "lower", "repl", "lsp", "doc", "serve", "fetch", "sql", "uv", "runs", "doctor", "man", "completions", "version"])
        for command in commands():
            result = gyre(command, "--help")
            self.assertEqual(result.returncode, 0, command)
            self.assertIn(f"Usage: gyre {command}", result.stdout)

    def test_a_variable_can_name_a_platform_that_cannot_be(self):
        self.assertEqual(gyre("tour", GYRE_PLATFORM="abacus").returncode, 2)


class Tour(unittest.TestCase):
    def test_shows_all_scenes_and_ends_by_itself(self):
        result = gyre("tour")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(re.findall(r"^(\d)\. ", result.stdout, re.MULTILINE), list("123456789"))
        self.assertIn("All 9 scenes went as they should", result.stdout)

    def test_ends_with_programs_of_all_languages_that_await_each_other(self):
        last = gyre("tour").stdout.split("9. Four languages that await each other")[1].split("The end")[0]
        if "This build lacks the engine" in last:
            return
        self.assertIn("Vela asks for 5, C++ asks for 5, WebAssembly asks for 5, JavaScript squares 5, C++ has 26, "
                      "Vela has 52, JavaScript has 52.", " ".join(last.split()))

    def test_is_readable_on_80_columns_and_has_no_colour_off_a_terminal(self):
        text = gyre("tour").stdout
        self.assertLessEqual(max(map(len, text.splitlines())), COLUMNS_MAX)
        self.assertNotIn("\033", text)

    def test_another_seed_goes_as_well(self):
        self.assertEqual(gyre("tour", "--seed", "12345").returncode, 0)


class Trace(unittest.TestCase):
    def check(self, path):
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        phases = {phase: {e["id"] for e in events if e["ph"] == phase} for phase in "stf"}
        self.assertGreater(len(phases["s"]), 1000)
        self.assertEqual(phases["s"], phases["f"])
        self.assertLessEqual(phases["t"], phases["s"])
        worlds = {e["args"]["name"] for e in events if e["name"] == "process_name"}
        self.assertEqual(worlds - {"script", "WebAssembly", "wasm", "languages"}, {"family", "timers", "two loops", "echo", "failures"})
        rows = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
        self.assertIn("loop 2", rows)
        self.assertTrue(any(e["ph"] == "X" and e["name"] == "player" for e in events))

    def test_of_a_tour_is_left_where_an_option_or_a_variable_says(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            self.assertEqual(gyre("tour", "--trace", path).returncode, 0)
            self.check(path)
            with open(path, "w", encoding="utf-8") as file:
                file.write("older")
            self.assertEqual(gyre("tour", GYRE_TRACE=path).returncode, 0)
            self.check(path)
            self.assertEqual(os.listdir(folder), ["trace.json"])

    def test_that_cannot_be_written_is_refused_in_one_line(self):
        # Paths of its own only: a broken program must not reach anything of the system's.
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            for path in (os.path.join(folder, "no", "trace.json"), pipe, folder, os.path.join(folder, "x" * 3000)):
                for result in (gyre("tour", "--trace", path), gyre("tour", GYRE_TRACE=path)):
                    self.assertEqual(result.returncode, 2, path)
                    self.assertEqual(result.stdout, "")
                    self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                    self.assertIn(path, result.stderr)


class Conform(unittest.TestCase):
    def test_passes_on_this_build_and_says_so_row_by_row(self):
        result = gyre("conform")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"(?m)^clause +scenario +platform +verdict$")
        self.assertRegex(result.stdout, r"(?m)^J06 J13 +1: ticks, then microtasks.* sim +pass$")
        self.assertRegex(result.stdout, r"\n\d+ pass, 0 FAIL, \d+ skipped\n$")
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), COLUMNS_MAX)

    def test_in_virtual_time_writes_the_same_bytes_every_time(self):
        arguments = ("conform", "--platform", "sim", "--json")
        self.assertEqual(gyre(*arguments).stdout, gyre(*arguments).stdout)

    def test_json_has_a_result_for_every_scenario_of_the_topics_asked_for(self):
        whole = json.loads(gyre("conform", "--platform", "sim", "--json").stdout)
        self.assertEqual((whole["fail"], whole["skipped"]), (0, 0))
        self.assertEqual(whole["pass"], len(whole["results"]))
        topics = {result["topic"] for result in whole["results"]}
        self.assertEqual(topics, set(TOPICS))
        for topic in TOPICS:
            part = json.loads(gyre("conform", topic, "--platform", "sim", "--json").stdout)
            wanted = [result for result in whole["results"] if result["topic"] == topic]
            self.assertEqual(part["results"], wanted)
        for result in whole["results"]:
            self.assertTrue(result["script"] and all(re.fullmatch(r"[A-Z]\d\d", id) for id in result["clauses"]))

    def test_refuses_topics_and_platforms_that_are_not_there(self):
        for arguments in (["dance"], ["--platform", "abacus"]):
            self.assertEqual(gyre("conform", *arguments).returncode, 2)


class Doctor(unittest.TestCase):
    def test_tells_of_the_kernel_the_cores_the_platforms_and_the_limits(self):
        result = gyre("doctor")
        self.assertEqual(result.returncode, 0)
        for name in ("program", "kernel", "cores", "platform", "limit"):
            self.assertRegex(result.stdout, rf"(?m)^{name} +\S")
        self.assertIn(os.uname().release, result.stdout)
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), COLUMNS_MAX)

    def test_tells_which_variables_are_in_force(self):
        self.assertIn("none set", gyre("doctor").stdout)
        self.assertIn("GYRE_LOG=debug", gyre("doctor", GYRE_LOG="debug").stdout)


class Version(unittest.TestCase):
    def test_is_the_one_of_the_build(self):
        root = os.path.join(os.path.dirname(__file__), "..", "..")
        with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"project\(gyre VERSION ([\d.]+)", file.read())[1]
        self.assertTrue(gyre("version").stdout.startswith(f"gyre {version}, built with "))
        self.assertEqual(gyre("--version").stdout.strip(), version)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
