# SPDX-License-Identifier: Apache-2.0
"""A program under tools/stop_and_go is stopped, and its children are; what it ends with is told."""

import sys
import unittest

from scratch import ToolTest

# What lets a stopped program go on is a signal, which waits where it is blocked.
WAITS_UNTIL_IT_GOES_ON = "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCONT}); signal.sigwait({signal.SIGCONT})"


class StopAndGo(ToolTest):
    tool = "stop_and_go"

    def run_program(self, text):
        return self.run_tool("--stop", "5", sys.executable, "-c", "import os, signal, subprocess, sys\n" + text)

    def test_stops_a_program_and_lets_it_go_on(self):
        result = self.run_program(WAITS_UNTIL_IT_GOES_ON)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_stops_the_children_too(self):
        result = self.run_program(f"""if os.fork() == 0:
    {WAITS_UNTIL_IT_GOES_ON}
    os._exit(7)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))""")
        self.assertEqual(result.returncode, 7, result.stderr)

    def test_ends_with_the_programs_status(self):
        self.assertEqual(self.run_program("sys.exit(3)").returncode, 3)
        self.assertEqual(self.run_program("os.kill(os.getpid(), signal.SIGTERM)").returncode, 128 + 15)

    def test_says_what_cannot_be_run(self):
        for command in ([], ["./no_such_program"]):
            result = self.run_tool(*command)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("stop_and_go", result.stderr)


if __name__ == "__main__":
    unittest.main()
