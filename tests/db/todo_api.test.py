# SPDX-License-Identifier: Apache-2.0
"""The todo API prints the same with SQLite in memory, in a file, and with PostgreSQL.

    todo_api.test.py PROGRAM"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1)
SCRATCH = Path(__file__).resolve().parent / "scratch_postgres"


class TodoApi(unittest.TestCase):
    def said(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_is_the_same_for_every_database(self):
        with tempfile.TemporaryDirectory() as folder:
            expected = self.said()
            self.assertIn("409", expected)
            self.assertEqual(self.said(f"sqlite:{folder}/todo.db"), expected)
            os.chmod(folder, 0o711)
            server = os.path.join(folder, "server")
            try:
                if subprocess.run([SCRATCH, "start", server], check=False, timeout=120).returncode != 0:
                    self.assertNotIn("GYRE_REQUIRE_POSTGRES", os.environ)
                    self.skipTest("no PostgreSQL starts here (package postgresql)")
                self.assertEqual(self.said(f"postgres://postgres@/postgres?host={server}"), expected)
            finally:
                subprocess.run([SCRATCH, "remove", server], check=False, timeout=120)


if __name__ == "__main__":
    unittest.main()
