# SPDX-License-Identifier: Apache-2.0
"""A scratch tree for a test of a tool: made from a dict of path to text, gone when the test ends."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent


class ToolTest(unittest.TestCase):
    tool = ""

    def run_tool(self, *arguments):
        command = [sys.executable, "-B", str(REPOSITORY / "tools" / self.tool), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def run_on(self, tree, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in tree.items():
                place = Path(folder) / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
            return self.run_tool(*arguments, folder)
