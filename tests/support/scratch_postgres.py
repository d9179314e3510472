# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of a test's own. Without PostgreSQL a test is skipped, or fails where GYRE_REQUIRE_POSTGRES is set."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRATCH = Path(__file__).resolve().parent.parent / "db" / "scratch_postgres"


class Server:
    """Started at once."""

    def __init__(self):
        self.holder = tempfile.TemporaryDirectory()
        os.chmod(self.holder.name, 0o711)  # It runs as a user of its own.
        self.folder = os.path.join(self.holder.name, "server")
        self.url = f"postgres://postgres@/postgres?host={self.folder}"
        self.is_there = self.call("start")

    def call(self, verb):
        return subprocess.run([SCRATCH, verb, self.folder], check=False, capture_output=True).returncode == 0

    def remove(self):
        self.call("remove")
        self.holder.cleanup()

    def needed_by(self, test):
        """Of a unittest.TestCase that runs."""
        if self.is_there:
            return
        if os.environ.get("GYRE_REQUIRE_POSTGRES"):
            test.fail("no PostgreSQL starts")
        test.skipTest("no PostgreSQL starts here (package postgresql)")


class PostgresTest(unittest.TestCase):
    """With a server for all tests of the class: its `url`."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.url = cls.server.url

    @classmethod
    def tearDownClass(cls):
        cls.server.remove()

    def setUp(self):
        super().setUp()
        self.server.needed_by(self)
