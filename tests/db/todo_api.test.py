# SPDX-License-Identifier: Apache-2.0
"""The todo API prints the same with SQLite in memory, in a file, and with PostgreSQL.

    todo_api.test.py PROGRAM"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from scratch_postgres import Server  # noqa: E402

PROGRAM = sys.argv.pop(1)


class TodoApi(unittest.TestCase):
    def said(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_is_the_same_for_every_database(self):
        expected = self.said()
        self.assertIn("409", expected)
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.said(f"sqlite:{folder}/todo.db"), expected)
        server = Server()
        self.addCleanup(server.remove)
        server.needed_by(self)
        self.assertEqual(self.said(server.url), expected)


if __name__ == "__main__":
    unittest.main()
