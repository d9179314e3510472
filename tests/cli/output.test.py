# SPDX-License-Identifier: Apache-2.0
"""Standard output that cannot be written: every command says so in one line and ends with 1.

    output.test.py PROGRAM"""

import os
import subprocess
import tempfile
import unittest
import urllib.request

import program
from program import gyre


class Output(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(os.path.join(self.folder.name, "a.vela"), "w", encoding="utf-8") as file:
            file.write("fn  main() {}\n")
        with open(os.path.join(self.folder.name, "a.wat"), "w", encoding="utf-8") as file:
            file.write('(module (func (export "main")))')
        with open(os.path.join(self.folder.name, "print.vela"), "w", encoding="utf-8") as file:
            file.write("fn main() { print(1) }\n")
        if program.has_runs():
            program.gyre("runs", "start", "a", "main", "--store", "sqlite:runs.db", cwd=self.folder.name)

    def lines(self):
        special = {
            "conform": ["conform", "kernel", "--platform", "sim"],
            "check": ["check", "--json", "a.vela"],
            "fmt": ["fmt", "--check", "a.vela"],
            "lower": ["lower", "a.vela"],
            "run": ["run", "print.vela"],
            "test": ["test", "a.vela"],
            "inspect": ["inspect", "a.wat"],
            "completions": ["completions", "bash"],
            "doc": ["doc", "a.vela"],
            "serve": ["serve", "--port", "0"],
            "sql": ["sql", "sqlite::memory:", "select 1"],
            "runs": ["runs", "show", "a", "--store", "sqlite:runs.db"],
        }
        yield ["--help"]
        yield ["--version"]
        for command in program.commands():
            yield [command, "--help"]
            if command == "fetch" or (command == "serve" and not program.has_http()):
                continue
            if command == "runs" and not program.has_runs():
                continue
            if command in ("run", "inspect") and not program.has_wasm():
                continue
            if command in ("repl", "lsp", "uv", "sim"):  # They answer inputs, or run a program: here is none.
                continue
            yield special.get(command, [command])

    def check(self, reason, **options):
        for line in self.lines():
            command = f"gyre {line[0]}" if not line[0].startswith("-") else "gyre"
            result = gyre(*line, cwd=self.folder.name, **options)
            said = f"{command}: cannot write to standard output: {reason}\n"
            self.assertEqual((result.returncode, result.stderr), (1, said), line)

    def test_that_is_full_is_a_failure_of_every_command(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.check("No space left on device", stdout=full)

    def test_that_is_closed_is_a_failure_of_every_command(self):
        self.check("Bad file descriptor", stdout=None, preexec_fn=lambda: os.close(1))

    def test_whose_reader_is_gone_is_a_failure_of_every_command(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        self.addCleanup(os.close, write_end)
        self.check("Broken pipe", stdout=write_end)

    def test_that_is_closed_does_not_matter_to_a_command_that_prints_nothing(self):
        with open(os.path.join(self.folder.name, "empty.vela"), "w", encoding="utf-8"):
            pass
        result = gyre("fmt", "--check", "empty.vela", cwd=self.folder.name, stdout=None, preexec_fn=lambda: os.close(1))
        self.assertEqual((result.returncode, result.stderr), (0, ""))


class Http(unittest.TestCase):
    def setUp(self):
        if not program.has_http():
            self.skipTest("this build has no HTTP")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(os.path.join(self.folder.name, "large"), "wb") as file:
            file.write(bytes(1_000_000))

    def serve(self, *arguments):
        server = subprocess.Popen(
            [program.PROGRAM, "serve", "--port", "0", "--threads", "2", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=program.environment(), cwd=self.folder.name,
        )  # fmt: skip
        self.addCleanup(server.__exit__, None, None, None)
        self.addCleanup(server.kill)
        return server, server.stdout.readline().strip().rsplit(" ", 1)[1]

    def test_fetch_fails_when_the_body_cannot_be_written(self):
        _, base = self.serve("--quiet")
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = gyre("fetch", "--quiet", base + "/large", stdout=full)
        said = "gyre fetch: cannot write to standard output: No space left on device\n"
        self.assertEqual((result.returncode, result.stderr), (1, said))
        result = gyre("fetch", "--quiet", "--output", "/dev/full", base + "/large")
        self.assertEqual((result.returncode, result.stderr), (1, "gyre fetch: cannot write /dev/full: No space left on device\n"))

    def test_serve_stops_when_the_reader_of_its_lines_is_gone(self):
        server, base = self.serve()
        server.stdout.close()
        with urllib.request.urlopen(base + "/large", timeout=300) as answer:
            self.assertEqual(len(answer.read()), 1_000_000)
        self.assertEqual(server.wait(timeout=300), 1)
        self.assertEqual(server.stderr.read(), "gyre serve: cannot write to standard output: Broken pipe\n")


if __name__ == "__main__":
    program.take_program()
    unittest.main()
