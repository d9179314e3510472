# SPDX-License-Identifier: Apache-2.0
"""gyre repl through a pipe, and through a pseudo-terminal as a person uses it."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from terminal import Terminal  # noqa: E402

GYRE = sys.argv.pop(1)


def run(*lines):
    done = subprocess.run([GYRE, "repl"], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=300)
    return done.stdout.splitlines(), done.stderr, done.returncode


class Pipe(unittest.TestCase):
    def test_values_are_shown_as_they_are_written(self):
        lines, errors, code = run(
            '1 + 2', '"a" + "b"', '[1, 2].map(n => n * 2)', 'Some(2.0)', '({"k": (1, "x")})', 'print("hi")', 'x => x == 1',
            'struct P { x: Number }', 'P(4)')
        self.assertEqual(errors, "")
        self.assertEqual(lines, ['3', '"ab"', '[2, 4]', 'Some(2.0)', '{"k": (1, "x")}', 'hi', '<(Number) -> Bool>', 'P { x: 4 }'])
        self.assertEqual(code, 0)

    def test_declarations_persist_and_can_be_defined_anew(self):
        lines, errors, _ = run(
            'fn f() -> Number { 1 }', 'fn g() -> Number { f() + 10 }', 'n = f()', 'n = n + 1', 'n',
            'fn f() -> String { "new" }', 'f()', 'g()', 'let n = "text"', 'n', 'it.length')
        self.assertEqual(errors, "")
        self.assertEqual(lines, ['2', '"new"', '11', '"text"', '4'])

    def test_a_class_that_comes_later_overrides(self):
        lines, errors, _ = run(
            'class A { fn name(self) -> String { "a" } }', 'fn told(a: A) -> String { a.name() }', 'told(A())',
            'class B extends A { override fn name(self) -> String { "b" } }', 'told(B())')
        self.assertEqual(errors, "")
        self.assertEqual(lines, ['"a"', '"b"'])

    def test_inputs_of_several_lines(self):
        lines, errors, _ = run('fn twice(n: Number) -> Number {', '  n * 2', '}', '[1,', '2].sum() +', 'twice(3)')
        self.assertEqual(errors, "")
        self.assertEqual(lines, ['9'])

    def test_await_loops_and_tasks_at_the_top(self):
        lines, errors, _ = run(
            'async fn slow(n: Number) -> Number { await sleep(5); return n }', 'await slow(3)', 'h = spawn(slow(4))',
            'await h + 1', 'for i in 0..3 { print(await slow(i)) }', 'for await n in AsyncIterator.fromList([7]) { print(n) }')
        self.assertEqual(errors, "")
        self.assertEqual(lines, ['3', '5', '0', '1', '2', '7'])

    def test_errors_keep_the_session(self):
        lines, errors, code = run(
            'a = 1', 'b = a +* 2', 'c = nothing', 'panic("no")', 'd = [1][5]', 'd', 'import \'system:htpp\'', 'a + 1',
            'fn broken() -> Number { "x" }', 'broken()', 'a')
        self.assertEqual(lines, ['2', '1'])
        self.assertIn("E0201", errors)
        self.assertIn("input 3:1:5: error[E0307]: unknown name `nothing`", errors)
        self.assertIn("Uncaught Error: no", errors)
        self.assertIn("a variable has no value yet", errors)
        self.assertIn("E0314", errors)
        self.assertEqual(code, 0)

    def test_classes_actors_and_imports(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "lib.vela"
            path.write_text("count = 40 + 2\nfn half() -> Number { count / 2 }\n")
            lines, errors, _ = run(
                f"import '{path}'", 'half()', "import 'system:time'", 'time.format(0)',
                'enum M { Get(Promise<Number>) }', 'actor A { fn receive(self, m: M) -> void { match m { Get(p) => p.resolve(9) } } }',
                'a = spawn(A::new())', 'p = Promise<Number>()', 'a.send(Get(p))', 'await p.future()')
            self.assertEqual(errors, "")
            self.assertEqual(lines, ['21', '"1970-01-01T00:00:00.000Z"', '<Promise<Number>>', '9'][:2] + lines[2:])
            self.assertEqual(lines[-1], '9')

    def test_a_wait_that_nothing_can_end_is_reported(self):
        lines, errors, _ = run('await Promise<Number>().future()', '1')
        self.assertEqual(lines, ['1'])
        self.assertIn("nothing can settle", errors)

    def test_an_unseen_failure_of_a_task_is_reported(self):
        _, errors, _ = run('async fn bad() -> void { throw Error("lost") }', 'h = spawn(bad())', 'await sleep(1)')
        self.assertIn("unhandled rejection in task bad: Error: lost", errors)

    def test_commands_and_the_end(self):
        lines, errors, code = run(':type [1.5]', ':type nothing', ':what', ':help', ':quit', '1')
        self.assertEqual(lines[0], 'List<Float>')
        self.assertIn("E0307", errors)
        self.assertIn("there is no command `:what`", errors)
        self.assertIn(":type EXPRESSION", "\n".join(lines))
        self.assertNotIn('1', lines)
        self.assertEqual(code, 0)
        self.assertEqual(run("import 'system:process'", 'exit(7)', '1')[2], 7)

    def test_the_session_of_the_guide(self):
        guide = Path(__file__).resolve().parent.parent.parent / "docs" / "guide" / "vela-tools.md"
        session = re.search(r"```\n(vela> .*?)```", guide.read_text(), re.DOTALL)[1].splitlines()
        typed = [line[6:] for line in session if line.startswith(("vela> ", "  ... "))]
        shown = [line for line in session if not line.startswith(("vela> ", "  ... "))]
        self.assertEqual(run(*typed), (shown, "", 0))

    def test_limits(self):
        lines, errors, _ = run('"' + "a" * (2 << 20) + '"', "1")
        self.assertIn("line_bytes_max", errors)
        self.assertEqual(lines, ["1"])
        lines, errors, _ = run("[", *["1," * 50000] * 11, "]", "2")
        self.assertIn("input_bytes_max", errors)
        self.assertEqual(lines, ["2"])


class Pty(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.home = Path(scratch.name)

    def start(self):
        terminal = Terminal([GYRE, "repl"], self.home)
        terminal.wait_for("vela> ")
        return terminal

    def test_a_person_edits_completes_and_ends(self):
        terminal = self.start()
        if "without" in terminal.text:
            self.skipTest("this build has no libedit")
        terminal.type("numbers = [3, 1]\r")
        terminal.wait_for("vela> ")
        terminal.type("num\t.sorted()\r")
        terminal.wait_for(r"\[1, 3\]\r\n")
        terminal.wait_for("vela> ")
        terminal.type("fn f() -> Number {\r")
        terminal.wait_for(r"  \.\.\. ")
        terminal.type("7 }\r")
        terminal.wait_for("vela> ")
        terminal.type("f()\r")
        terminal.wait_for("7\r\n")
        terminal.wait_for("vela> ")
        self.assertEqual(terminal.leave(), 0)
        # The history of the next run has it.
        terminal = self.start()
        terminal.type("\x1b[A\r")
        terminal.wait_for(r"f\(\)")
        terminal.wait_for("unknown name `f`")
        terminal.wait_for("vela> ")
        self.assertEqual(terminal.leave(), 0)

    def test_ctrl_c_ends_a_loop_a_wait_and_a_line_and_the_prompt_survives(self):
        terminal = self.start()
        terminal.type('print("go"); while true { }\r')
        terminal.wait_for("\ngo\r\n")
        terminal.type("\x03")
        terminal.wait_for("interrupted\r\n")
        terminal.wait_for("vela> ")
        terminal.type('print("go"); [1].map(n => { while true { } })\r')
        terminal.wait_for("\ngo\r\n")
        terminal.type("\x03")
        terminal.wait_for("interrupted\r\n")
        terminal.wait_for("vela> ")
        terminal.type('print("go"); await sleep(100000000)\r')
        terminal.wait_for("\ngo\r\n")
        terminal.type("\x03")
        terminal.wait_for("interrupted\r\n")
        terminal.wait_for("vela> ")
        terminal.type("fn unfinished( {\r")
        terminal.wait_for(r"  \.\.\. ")
        terminal.type("\x03")
        terminal.wait_for(r"\^C\r\nvela> ")
        terminal.type("40 + 2\r")
        terminal.wait_for("42\r\n")
        os.kill(terminal.process, signal.SIGKILL)
        terminal.end()


if __name__ == "__main__":
    unittest.main()
