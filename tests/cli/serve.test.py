# SPDX-License-Identifier: Apache-2.0
"""gyre serve under pressure: an output that nobody reads, and its memory limit.

    serve.test.py PROGRAM"""

import fcntl
import http.client
import os
import re
import select
import signal
import socket
import subprocess
import tempfile
import unittest

import program
from program import gyre

SLOW_HEAD = b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 12_000
PIPE_SIZE = 4096  # the least that Linux gives


class Serve(unittest.TestCase):
    def setUp(self):
        if not program.has_http():
            self.skipTest("this build has no HTTP")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(os.path.join(self.folder.name, "a.txt"), "wb") as file:
            file.write(b"hello")

    def serve(self, *arguments):
        """The server, and its port. Its pipes are as small as they can be."""
        server = subprocess.Popen(
            [program.PROGRAM, "serve", "--port", "0", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=program.environment(), cwd=self.folder.name, bufsize=0,
        )  # fmt: skip
        self.addCleanup(server.__exit__, None, None, None)
        self.addCleanup(server.kill)
        for pipe in (server.stdout, server.stderr):
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, PIPE_SIZE)
        return server, int(re.search(rb":(\d+)\n$", server.stdout.readline())[1])

    def get(self, connection, path="/a.txt"):
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def test_answers_all_requests_while_nobody_reads_its_lines_and_says_how_many_it_dropped(self):
        server, port = self.serve("--threads", "2")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        count = 300  # A page of the pipe holds about 60 lines.
        for _ in range(count):
            self.assertEqual(self.get(connection), (200, b"hello"))
        connection.close()
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(timeout=300), 0)
        lines = server.stdout.read().count(b" GET /a.txt 200 ")
        said = server.stderr.read().decode()
        dropped = int(re.fullmatch(
            r"gyre serve: dropped (\d+) lines of the log: nobody read the output fast enough\n", said)[1])  # fmt: skip
        self.assertGreater(lines, 0)
        self.assertEqual(lines + dropped, count)

    def test_says_nothing_about_dropped_lines_when_all_were_read(self):
        server, port = self.serve("--threads", "1")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        self.assertEqual(self.get(connection), (200, b"hello"))
        connection.close()
        server.send_signal(signal.SIGTERM)
        output, errors = server.communicate(timeout=300)
        self.assertIn(b" GET /a.txt 200 ", output)
        self.assertEqual((server.returncode, errors), (0, b""))

    def test_a_line_of_the_log_is_cut_when_the_target_is_long(self):
        server, port = self.serve("--threads", "1")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        self.assertEqual(self.get(connection, "/a.txt?" + "x" * 6000), (200, b"hello"))
        connection.close()
        line = server.stdout.readline()
        self.assertRegex(line, rb" GET /a\.txt\?x+ 200 5 [0-9.]+ms\n$")
        self.assertLess(len(line), 2048)

    def test_refuses_with_503_what_exceeds_the_memory_limit_and_goes_on(self):
        _, port = self.serve("--threads", "1", "--quiet", "--metrics", "--memory-limit", "1M")
        slow = []
        for _ in range(150):
            one = socket.create_connection(("127.0.0.1", port), timeout=300)
            self.addCleanup(one.close)
            one.sendall(SLOW_HEAD)
            slow.append(one)
        # The others have memory, and no answer until their heads are whole.
        refused, open_ones = 0, set(slow)
        while refused == 0:
            answered, _, _ = select.select(open_ones, [], [], 300)
            self.assertTrue(answered, "none is refused")
            refused = sum(self.is_refused(one) for one in answered)
            open_ones -= set(answered)
        for one in slow:
            one.close()
        while True:  # Until the server has seen that they are closed.
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
            answer = self.get(connection)
            if answer[0] != 503:
                break
            connection.close()
        self.assertEqual(answer, (200, b"hello"))
        metrics = self.get(connection, "/metrics")[1].decode()
        self.assertGreaterEqual(int(re.search(r"^gyre_http_over_memory_total\S* (\d+)$", metrics, re.MULTILINE)[1]), refused)
        connection.close()

    def is_refused(self, connection):
        try:
            return connection.recv(12) == b"HTTP/1.1 503"
        except ConnectionResetError:
            return False

    def test_refuses_memory_limits_that_make_no_sense(self):
        for text, said in (
            ("100K", "gyre serve: --memory-limit 100K: give at least 1M\n"),
            ("x", "gyre serve: --memory-limit x: give a number above 0 with a unit, as in 64M or 2G\n"),
            ("inf", "gyre serve: --memory-limit inf: too large\n"),
        ):
            result = gyre("serve", "--port", "0", "--memory-limit", text, cwd=self.folder.name)
            self.assertEqual((result.returncode, result.stderr), (2, said))


if __name__ == "__main__":
    program.take_program()
    unittest.main()
