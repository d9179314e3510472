# SPDX-License-Identifier: Apache-2.0
"""gyre serve under the attacks of slowhttptest (slow heads, slow bodies, slow reading) answers others all the while.

    slow.test.py PROGRAM SLOWHTTPTEST"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
SLOWHTTPTEST = ""


def environment():
    return {key: value for key, value in os.environ.items() if not key.startswith("GYRE_")}


class Attacked(unittest.TestCase):
    def test_others_are_served_meanwhile(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "a.txt").write_text("hello world", encoding="utf-8")
            (Path(folder) / "large.bin").write_bytes(b"0123456789" * 500_000)
            server = subprocess.Popen(
                [PROGRAM, "serve", folder, "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True, env=environment()
            )
            try:
                base = re.search(r" at (http://\S+)$", server.stdout.readline().strip())[1]
                for attack in (["-H", "-u", base + "/"], ["-B", "-u", base + "/"], ["-X", "-u", base + "/large.bin", "-z", "10"]):
                    self.attack(base, attack)
                server.send_signal(signal.SIGINT)
                self.assertEqual(server.wait(timeout=300), 0)
            finally:
                server.kill()
                server.communicate()

    def attack(self, base, arguments):
        attacker = subprocess.Popen(
            [SLOWHTTPTEST, *arguments, "-c", "200", "-r", "200", "-i", "1", "-l", "4"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            served = 0
            while attacker.poll() is None:
                got = subprocess.run(
                    [PROGRAM, "fetch", "--quiet", "--timeout", "60", base + "/a.txt"],
                    capture_output=True, check=False, env=environment(), timeout=300,
                )  # fmt: skip
                self.assertEqual((got.returncode, got.stdout), (0, b"hello world"), got.stderr)
                served += 1
            self.assertGreater(served, 0)
        finally:
            attacker.kill()
            attacker.wait()


if __name__ == "__main__":
    PROGRAM, SLOWHTTPTEST = sys.argv[1:3]
    sys.exit(unittest.main(argv=sys.argv[:1]))
