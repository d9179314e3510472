# SPDX-License-Identifier: Apache-2.0
"""gyre run --watch: starts again when a source file changes.

    watch.test.py PROGRAM"""

import os
import signal
import subprocess
import tempfile
import unittest

import program
from program import gyre


class Watch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.process = None

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".new", path)
        return path

    def start(self, *arguments):
        self.process = subprocess.Popen([program.PROGRAM, "run", "--watch", *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, env=program.environment())
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)

    def wait_for(self, words):
        for line in self.process.stdout:
            if words in line:
                return
        self.fail(f"ended without {words!r}")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(300), 130)

    def test_a_vela_program_that_has_ended_runs_again(self):
        main = self.write("main.vela", 'fn main() -> void { print("one") }\n')
        self.start(main)
        self.wait_for("one")
        self.wait_for("main.vela has ended (exit status 0); waits for a change")
        self.write("notes.txt", "no source")
        self.write("node_modules/p/index.js", "none of ours")
        self.write("main.vela", 'fn main() -> void { print(nothing) }\n')
        self.wait_for("main.vela has changed: runs again")
        self.wait_for("E0307")
        self.wait_for("has ended (exit status")
        self.write("main.vela", 'fn main() -> void { print("three") }\n')
        self.wait_for("three")
        self.end()

    def test_a_script_that_runs_is_stopped_and_what_it_imports_is_watched(self):
        if "no JavaScript engine" in gyre("run", "-e", "1").stderr:
            self.skipTest("this build has no JavaScript engine")
        self.write("lib/b.mjs", "export const b = 1;\n")
        main = self.write("main.mjs", "import { b } from './lib/b.mjs';\nconsole.log('b is', b, process.argv[2]);\nsetInterval(() => {}, 1000);\n")
        self.start(main, "word")
        self.wait_for("b is 1 word")
        self.write("lib/b.mjs", "export const b = 2;\n")
        self.wait_for("lib/b.mjs has changed: runs again")
        self.wait_for("b is 2 word")
        # The end of the first program is no end to tell of.
        self.write("lib/b.mjs", "export const b = 3;\n")
        self.assertIn("has changed", next(self.process.stdout))
        self.wait_for("b is 3")
        self.end()

    def test_what_cannot_be_watched_is_refused(self):
        for arguments, words in ((["-e", "1"], "needs a FILE"), ([os.path.join(self.folder.name, "none.mjs")], "no such file")):
            result = gyre("run", "--watch", *arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    program.take_program()
    unittest.main()
