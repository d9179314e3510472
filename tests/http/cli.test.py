# SPDX-License-Identifier: Apache-2.0
"""gyre serve and gyre fetch from outside, with each other and with Python's client.

    cli.test.py PROGRAM"""

import email
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

PROGRAM = ""


def environment():
    return {key: value for key, value in os.environ.items() if not key.startswith("GYRE_")}


def fetch(*arguments):
    return subprocess.run(
        [PROGRAM, "fetch", *arguments], capture_output=True, check=False, env=environment(), timeout=300
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
        output, errors = self.server.communicate(timeout=300)
        return self.server.returncode, output, errors

    def test_files_are_served_and_each_request_is_a_line(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
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
        part, note = self.root / "copy.bin.part", self.root / "copy.bin.part.etag"
        url = self.base + "/large.bin"
        whole = (self.root / "public/large.bin").read_bytes()
        etag = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        etag.request("HEAD", "/large.bin")
        etag = etag.getresponse().getheader("ETag")
        for have in (whole[:123_456], whole):
            part.write_bytes(have)
            note.write_text(f"{url}\n{etag}\n", encoding="utf-8")
            result = fetch("--output", str(target), "--resume", url)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(b"206" if have != whole else b"416", result.stderr)
            self.assertEqual(target.read_bytes(), whole)
            self.assertFalse(part.exists() or note.exists())
        part.write_bytes(b"of an older version")
        note.write_text(f'{url}\n"other"\n', encoding="utf-8")
        self.assertEqual(fetch("--output", str(target), "--resume", url).returncode, 0)
        self.assertEqual(target.read_bytes(), whole)

    def test_fetch_does_not_go_on_with_what_may_be_another_file(self):
        target, part = self.root / "other.bin", self.root / "other.bin.part"
        url = self.base + "/large.bin"
        part.write_bytes(b"some bytes")
        result = fetch("--quiet", "--output", str(target), "--resume", url)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"other.bin.part cannot be continued", result.stderr)
        (self.root / "other.bin.part.etag").write_text(f"{self.base}/a.txt\n\"1\"\n", encoding="utf-8")
        result = fetch("--quiet", "--output", str(target), "--resume", url)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"belongs to " + self.base.encode() + b"/a.txt", result.stderr)
        self.assertEqual(part.read_bytes(), b"some bytes")
        self.assertFalse(target.exists())

    def test_fetch_replaces_a_file_by_a_whole_one_or_not_at_all(self):
        target = self.root / "kept.txt"
        target.write_bytes(b"good")
        result = fetch("--quiet", "--output", str(target), self.base + "/none")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, rb"^gyre fetch: the server answered 404 Not Found: \S+kept.txt is left as it is\n$")
        self.assertEqual(target.read_bytes(), b"good")
        with socket.create_server(("127.0.0.1", 0)) as cutting:
            def answer():
                stream, _ = cutting.accept()
                with stream:
                    stream.recv(4096)
                    stream.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nETag: "1"\r\n\r\nhalf')
            thread = threading.Thread(target=answer)
            thread.start()
            url = f"http://127.0.0.1:{cutting.getsockname()[1]}/"
            result = fetch("--quiet", "--output", str(target), url)
            thread.join()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(target.read_bytes(), b"good")
        self.assertEqual((self.root / "kept.txt.part").read_bytes(), b"half")
        self.assertEqual((self.root / "kept.txt.part.etag").read_text(encoding="utf-8"), f'{url}\n"1"\n')

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
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        connection.request("GET", "/a.txt", headers={"Range": "bytes=0-1,6-"})
        answer = connection.getresponse()
        self.assertEqual(answer.status, 206)
        text = f"Content-Type: {answer.getheader('Content-Type')}\r\n\r\n".encode() + answer.read()
        parts = email.message_from_bytes(text).get_payload()
        self.assertEqual([part["Content-Range"] for part in parts], ["bytes 0-1/11", "bytes 6-10/11"])
        self.assertEqual([part.get_payload() for part in parts], ["he", "world"])
        connection.close()

    def test_what_cannot_be_fetched_is_said(self):
        result = fetch("http://127.0.0.1:1/")
        said = b"gyre fetch: connect to 127.0.0.1:1: Connection refused\n"
        self.assertEqual((result.returncode, result.stderr), (1, said))

    def test_fetch_says_that_a_time_limit_has_passed_and_that_it_was_stopped(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
            result = fetch("--timeout", "0.05", url)
            said = b"gyre fetch: no response within 50 ms: try a longer --timeout\n"
            self.assertEqual((result.returncode, result.stderr), (1, said))
            silent.accept()[0].close()
            waiting = subprocess.Popen([PROGRAM, "fetch", url], stderr=subprocess.PIPE, env=environment())
            with silent.accept()[0] as peer:
                peer.recv(1)
                waiting.send_signal(signal.SIGINT)
                self.assertEqual(waiting.communicate(timeout=300)[1], b"gyre fetch: stopped by SIGINT\n")
            self.assertEqual(waiting.returncode, 4)

    def test_sigterm_ends_the_request_in_flight_and_the_program_with_0(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        connection.request("GET", "/large.bin")
        answer = connection.getresponse()
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(len(answer.read()), 1_000_000)
        _, errors = self.server.communicate(timeout=300)
        self.assertEqual((self.server.returncode, errors), (0, ""))
        connection.close()


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
