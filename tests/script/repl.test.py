#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gyre repl --language js through a pipe, and through a pseudo-terminal as a person uses it.

    repl.test.py GYRE ENGINE
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from terminal import Terminal  # noqa: E402

GYRE = str(pathlib.Path(sys.argv[1]).resolve())
ENGINE = sys.argv[2]
COMMAND = [GYRE, "repl", "--language", "js", "--engine", ENGINE]


def run(*lines):
    done = subprocess.run(COMMAND, input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=300, check=False)
    return done.stdout.splitlines(), done.stderr, done.returncode


class Pipe(unittest.TestCase):
    def test_values_are_shown_by_inspect(self):
        lines, errors, code = run("1 + 2", "'a' + \"b\"", "({ a: [1, new Map([[1, 2]])] })", "{ b: 1 }", "_.b + 1", "undefined", "console.log('hi'); 3")
        self.assertEqual(errors, "")
        self.assertEqual(lines, ["3", "'ab'", "{ a: [ 1, Map(1) { 1 => 2 } ] }", "{ b: 1 }", "2", "undefined", "hi", "3"])
        self.assertEqual(code, 0)

    def test_declarations_persist(self):
        lines, errors, _ = run("let x = 1", "const f = () => x", "x = 5", "f()", "function g() { return f() + 1 }", "g()", "class A { m() { return 7 } }", "new A().m()")
        self.assertEqual(errors, "")
        self.assertEqual([line for line in lines if line != "undefined"], ["5", "5", "6", "7"])

    def test_await_and_imports_at_the_top(self):
        lines, errors, _ = run(
            "const y = await Promise.resolve(7)", "y", "let { a, b: [c] = [9], ...rest } = await { a: 1, d: 2 }, e = 3", "[a, c, rest, e]",
            "for (const n of [1, 2]) { console.log(await n) }", "async function h() { return await 5 }", "await h()", "import { join as j } from 'node:path'",
            "j('a', 'b')", "import os, { EOL } from 'os'", "typeof os.cpus + EOL.length", "await new Promise((done) => setTimeout(done, 5, 'late'))",
            "class B { async m() { return await 1 } }; await new B().m()", "await 1; let z = 4", "z", "path.basename('/q/r')")
        self.assertEqual(errors, "")
        self.assertEqual([line for line in lines if line != "undefined"],
                         ["7", "[ 1, 9, { d: 2 }, 3 ]", "1", "2", "5", "'a/b'", "'function1'", "'late'", "1", "4", "'r'"])

    def test_inputs_of_several_lines(self):
        lines, errors, _ = run("function f(a) {", "  return a * 2", "}", "f(", "4)", "`a${", "1 + 1}b`", "1 +", "2", "[1,", "/* [ */ 2]", "if (true)", "'yes'", "/[(]/.test('(')")
        self.assertEqual(errors, "")
        self.assertEqual([line for line in lines if line != "undefined"], ["8", "'a2b'", "3", "[ 1, 2 ]", "'yes'", "true"])

    def test_errors_keep_the_session(self):
        lines, errors, code = run(
            "let x = 1", "nothing", "throw new TypeError('no')", "let let", "await Promise.reject(new Error('later'))", "setTimeout(() => { throw new Error('timed') }, 1); 0",
            "await new Promise((done) => setTimeout(done, 30))", "Promise.reject(new Error('lost')); 1", "throw { a: 1 }", "x + 1", "_error")
        self.assertEqual([line for line in lines if line != "undefined"], ["0", "1", "2", "{ a: 1 }"])
        for told in ("ReferenceError: nothing is not defined", "Uncaught TypeError: no", "SyntaxError", "Uncaught Error: later", "Uncaught Error: timed", "Uncaught Error: lost", "Uncaught { a: 1 }"):
            self.assertIn(told, errors)
        self.assertNotIn("gyre:", errors)
        self.assertEqual(code, 0)

    def test_the_end(self):
        lines, errors, code = run("process.exit(3)", "1")
        self.assertEqual((lines, errors, code), ([], "", 3))
        lines, errors, _ = run(":what", ":help", ":quit", "1")
        self.assertIn("there is no command `:what`", errors)
        self.assertIn("_error", "\n".join(lines))
        self.assertNotIn("1", lines)
        self.assertEqual(run("setTimeout(() => process.exit(4), 10); await new Promise(() => {})")[2], 4)


class Pty(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.home = pathlib.Path(scratch.name)

    def start(self):
        terminal = Terminal(COMMAND, self.home)
        terminal.wait_for("js> ")
        return terminal

    def test_a_person_edits_completes_and_ends(self):
        terminal = self.start()
        terminal.type("const numbers = [3, 1]\r")
        terminal.wait_for("undefined\r\n")
        terminal.wait_for("js> ")
        terminal.type("numb\t.toSor")
        terminal.type("\x15numbers.rev\t()\r")
        terminal.wait_for(r"\[ 1, 3 \]\r\n")
        terminal.wait_for("js> ")
        terminal.type("process.argv.leng\t\r")
        terminal.wait_for(r"\n[12]\r\n")
        terminal.wait_for("js> ")
        terminal.type("function f() {\r")
        terminal.wait_for(r"  \.\.\. ")
        terminal.type("return 7 }\r")
        terminal.wait_for("js> ")
        terminal.type("setTimeout(() => console.log('meanwhile'), 20); 0\r")
        terminal.wait_for("js> meanwhile\r\n")
        terminal.type("f()\r")
        terminal.wait_for("7\r\n")
        terminal.wait_for("js> ")
        self.assertEqual(terminal.leave(), 0)
        # The history of the next run has it.
        terminal = self.start()
        terminal.type("\x1b[A\r")
        terminal.wait_for("f is not defined|'f' is not defined")
        terminal.wait_for("js> ")
        self.assertEqual(terminal.leave(), 0)

    def interrupted(self, terminal, text):
        terminal.type(text + "\r")
        terminal.wait_for("\ngo\r\n")
        terminal.type("\x03")
        terminal.wait_for("interrupted\r\n")
        # A Ctrl-C that came between two jobs has ended the first one: the other one needs its own.
        while not terminal.has("js> ", 2):
            terminal.type("\x03")

    def test_ctrl_c_ends_a_loop_a_wait_and_a_line_and_the_prompt_survives(self):
        terminal = self.start()
        self.interrupted(terminal, "console.log('go'); for (;;) {}")
        self.interrupted(terminal, "console.log('go'); try { for (;;) {} } catch { } finally { }")
        self.interrupted(terminal, "console.log('go'); [1].map(() => { for (;;) {} })")
        self.interrupted(terminal, "console.log('go'); await new Promise(() => {})")
        self.interrupted(terminal, "console.log('go'); await null; for (;;) {}")
        self.interrupted(terminal, "console.log('go'); for (;;) await null")
        # A job that the input has left goes on, and ends by the next Ctrl-C.
        self.interrupted(terminal, "Promise.resolve().then(() => { for (;;) {} }); console.log('go'); for (;;) {}")
        terminal.type("function unfinished( {\r")
        terminal.wait_for(r"  \.\.\. ")
        terminal.type("\x03")
        terminal.wait_for(r"\^C\r\njs> ")
        terminal.type("await Promise.resolve(40) + 2\r")
        terminal.wait_for("42\r\n")
        self.assertEqual(terminal.leave(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
