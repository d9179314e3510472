# SPDX-License-Identifier: Apache-2.0
"""gyre serve and gyre fetch from outside, with each other and with Python's client.

    cli.test.py PROGRAM"""

import email
import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""


def environment():
    return {key: value for key, value in os.environ.items() if not key.startswith("GYRE_")}


def fetch(*arguments):
    return subprocess.run(
        [PROGRAM, "fetch", *arguments], capture_output=True, check=False, env=environment(), timeout=60
    )


class Serving(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        root = Path(self.folder.name)
        (root / "public").mkdir()
        (root / "public/a.txt").write_text("hello world", encoding="utf-8")
        (root / "public/large.bin").write_bytes(b"0123456789" * 100_000)
        (root / "secret").write_text("secret", encoding="utf-8")
        self.root = root
        self.server = subprocess.Popen(
            [PROGRAM, "serve", str(root / "public"), "--port", "0", "--threads", "2", "--metrics"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        first = self.server.stdout.readline()
        self.port = int(re.search(r" at http://127\.0\.0\.1:(\d+)$", first.strip())[1])
        self.base = f"http://127.0.0.1:{self.port}"

    def tearDown(self):
        if self.server.poll() is None:
            self.server.kill()
        self.server.communicate()
        self.folder.cleanup()

    def stop(self):
        self.server.send_signal(signal.SIGINT)
        output, errors = self.server.communicate(timeout=60)
        return self.server.returncode, output, errors

    def test_files_are_served_and_each_request_is_a_line(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", "/a.txt")
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.read()), (200, b"hello world"))
        # While it runs, although nobody looks at a terminal.
        self.assertRegex(self.server.stdout.readline(), r" GET /a\.txt 200 11 [\d.]+ms$")
        self.assertTrue(answer.getheader("Date").endswith(" GMT"))
        connection.request("GET", "/large.bin", headers={"Range": "bytes=5-14"})
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.read()), (206, b"5678901234"))
        connection.request("GET", "/../secret")
        answer = connection.getresponse()
        self.assertEqual(answer.status, 404)
        answer.read()
        connection.request("GET", "/")
        self.assertIn(b"a.txt", connection.getresponse().read())
        connection.close()
        code, output, _ = self.stop()
        self.assertEqual(code, 0)
        self.assertRegex(output, r"(?m) GET /large\.bin 206 10 ")
        self.assertRegex(output, r"(?m) GET /\.\./secret 404 ")

    def test_fetch_shows_the_head_and_the_times_and_gives_the_body(self):
        result = fetch(self.base + "/a.txt")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, b"hello world")
        self.assertIn(b"200 OK\n", result.stderr)
        self.assertRegex(result.stderr, rb"name [\d.]+ ms, connect [\d.]+ ms, TLS [\d.]+ ms, first byte")
        quiet = fetch("--quiet", self.base + "/a.txt")
        self.assertEqual((quiet.stdout, quiet.stderr), (b"hello world", b""))
        self.assertEqual(fetch(self.base + "/none").returncode, 1)

    def test_fetch_goes_on_with_a_download(self):
        target = self.root / "copy.bin"
        whole = (self.root / "public/large.bin").read_bytes()
        target.write_bytes(whole[:123_456])
        result = fetch("--output", str(target), "--resume", self.base + "/large.bin")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"206", result.stderr)
        self.assertEqual(target.read_bytes(), whole)
        again = fetch("--output", str(target), "--resume", self.base + "/large.bin")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(target.read_bytes(), whole)

    def test_metrics_tell_of_every_loop_and_of_the_pools(self):
        self.assertEqual(fetch("--quiet", self.base + "/a.txt").stdout, b"hello world")
        found = {}
        while not {'gyre_loop_turns_total{loop="1"}', 'gyre_loop_turns_total{loop="2"}'} <= found.keys():
            result = fetch(self.base + "/metrics")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(b"Content-Type: text/plain; version=0.0.4\n", result.stderr)
            lines = [line for line in result.stdout.decode().splitlines() if not line.startswith("#")]
            found = {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}
        for loop in ("1", "2"):
            self.assertGreater(found[f'gyre_loop_turns_total{{loop="{loop}"}}'], 0)
            self.assertGreater(found[f'gyre_tasks{{loop="{loop}"}}'], 0)
        self.assertGreaterEqual(sum(value for name, value in found.items() if name.startswith("gyre_http_requests_total")), 1)
        self.assertGreater(sum(value for name, value in found.items() if name.startswith("gyre_loop_idle_seconds")), 0)
        self.assertGreaterEqual(sum(value for name, value in found.items() if name.startswith("gyre_pool_done_total")), 1)

    def test_several_parts_come_in_one_answer(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/a.txt", headers={"Range": "bytes=0-1,6-"})
        answer = connection.getresponse()
        self.assertEqual(answer.status, 206)
        text = f"Content-Type: {answer.getheader('Content-Type')}\r\n\r\n".encode() + answer.read()
        parts = email.message_from_bytes(text).get_payload()
        self.assertEqual([part["Content-Range"] for part in parts], ["bytes 0-1/11", "bytes 6-10/11"])
        self.assertEqual([part.get_payload() for part in parts], ["he", "world"])
        connection.close()

    def test_what_cannot_be_fetched_is_said(self):
        for url in ("ftp://a/", "http://127.0.0.1:1/", "http://"):
            result = fetch(url)
            self.assertEqual(result.returncode, 1, url)
            self.assertTrue(result.stderr.startswith(b"gyre fetch: "), result.stderr)


class Usage(unittest.TestCase):
    def test_a_folder_that_is_not_there_is_a_usage_error(self):
        result = subprocess.run(
            [PROGRAM, "serve", "/no/such/folder", "--port", "0"], capture_output=True, check=False, env=environment(), timeout=60
        )
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(b"folder", result.stderr)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
