# SPDX-License-Identifier: Apache-2.0
"""TLS against the programs of others: openssl s_client, openssl s_server, curl and Python's own client.

    others.test.py PROGRAM OPENSSL"""

import os
import re
import shutil
import signal
import ssl
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
OPENSSL = ""


def environment():
    return {key: value for key, value in os.environ.items() if not key.startswith("GYRE_")}


def run(*arguments, stdin=b""):
    return subprocess.run(
        arguments, input=stdin, capture_output=True, check=False, env=environment(), timeout=60
    )


class Certificates(unittest.TestCase):
    """A folder with two certificates for localhost that sign themselves."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        for name in ("cert", "other"):
            made = run(
                OPENSSL, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", str(cls.root / f"{name}.key"), "-out", str(cls.root / f"{name}.pem"),
            )  # fmt: skip
            if made.returncode != 0:
                raise unittest.SkipTest(f"openssl makes no certificates: {made.stderr.decode()}")
        cls.certificate = str(cls.root / "cert.pem")
        cls.other = str(cls.root / "other.pem")
        cls.key = str(cls.root / "cert.key")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()


class Serving(Certificates):
    def setUp(self):
        public = self.root / "public"
        public.mkdir(exist_ok=True)
        (public / "a.txt").write_text("hello world", encoding="utf-8")
        (public / "large.bin").write_bytes(bytes(range(251)) * 8000)
        self.server = subprocess.Popen(
            [PROGRAM, "serve", str(public), "--port", "0", "--threads", "2", "--tls", self.certificate, self.key],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        first = self.server.stdout.readline()
        self.port = int(re.search(r" at https://127\.0\.0\.1:(\d+)$", first.strip())[1])
        self.base = f"https://localhost:{self.port}"

    def tearDown(self):
        self.server.send_signal(signal.SIGINT)
        try:
            self.server.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.communicate()
            self.fail("the server does not stop")
        self.assertEqual(self.server.returncode, 0)

    def fetch(self, path, *arguments):
        return run(PROGRAM, "fetch", self.base + path, *arguments)

    def test_fetch_gets_files_and_says_how_long_the_handshake_took(self):
        got = self.fetch("/large.bin", "--authority", self.certificate)
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertEqual(got.stdout, bytes(range(251)) * 8000)
        taken = re.search(rb", TLS ([0-9.]+) ms", got.stderr)
        self.assertGreater(float(taken[1]), 0.0)

    def test_fetch_refuses_who_cannot_prove_its_name_unless_told_not_to_ask(self):
        for arguments in ([], ["--authority", self.other]):
            got = self.fetch("/a.txt", *arguments)
            self.assertEqual(got.returncode, 1)
            self.assertIn(b"self-signed certificate", got.stderr)
            self.assertEqual(got.stdout, b"")
        got = self.fetch("/a.txt", "--insecure")
        self.assertEqual((got.returncode, got.stdout), (0, b"hello world"))

    def test_curl_gets_files_with_both_versions(self):
        curl = shutil.which("curl")
        if curl is None:
            self.skipTest("no curl found")
        for version in (["--tls-max", "1.2"], ["--tlsv1.3"]):
            got = run(curl, "-sS", "--cacert", self.certificate, *version, f"{self.base}/large.bin", f"{self.base}/a.txt")
            self.assertEqual(got.returncode, 0, got.stderr)
            self.assertEqual(got.stdout, bytes(range(251)) * 8000 + b"hello world")

    def s_client(self, *arguments):
        request = b"GET /a.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        at = f"localhost:{self.port}"
        return run(
            OPENSSL, "s_client", "-connect", at, "-servername", "localhost", "-CAfile", self.certificate,
            "-ign_eof", *arguments, stdin=request,
        )  # fmt: skip

    def test_s_client_goes_on_with_its_session_and_hears_the_farewell(self):
        for version, name in (("-tls1_2", b"TLSv1.2"), ("-tls1_3", b"TLSv1.3")):
            kept = str(self.root / f"session{version}")
            first = self.s_client(version, "-sess_out", kept, "-alpn", "h2,http/1.1")
            self.assertIn(b"hello world", first.stdout)
            self.assertIn(b"Verification: OK", first.stdout)
            self.assertIn(b"ALPN protocol: http/1.1", first.stdout)
            self.assertIn(b"New, " + name, first.stdout)
            self.assertNotIn(b"unexpected eof", first.stderr)
            second = self.s_client(version, "-sess_in", kept)
            self.assertIn(b"Reused, " + name, second.stdout)
            self.assertIn(b"hello world", second.stdout)

    def test_old_versions_are_refused(self):
        got = self.s_client("-tls1_1", "-cipher", "ALL:@SECLEVEL=0")
        self.assertNotIn(b"hello world", got.stdout)
        self.assertNotEqual(got.returncode, 0)

    def test_a_client_that_does_not_encrypt_gets_no_answer(self):
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as plain:
            plain.sendall(b"GET /a.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertNotIn(b"HTTP/1.1", plain.recv(1000))

    def test_pythons_client_reads_to_a_clean_end(self):
        context = ssl.create_default_context(cafile=self.certificate)
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as plain:
            with context.wrap_socket(plain, server_hostname="localhost", suppress_ragged_eofs=False) as stream:
                stream.sendall(b"GET /a.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                got = b""
                while piece := stream.recv(1000):
                    got += piece
        self.assertTrue(got.endswith(b"hello world"), got)


class Fetching(Certificates):
    def test_fetch_gets_a_page_of_s_server_with_both_versions(self):
        for version in ("-tls1_2", "-tls1_3"):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            server = subprocess.Popen(
                [OPENSSL, "s_server", "-accept", f"127.0.0.1:{port}", "-cert", self.certificate, "-key", self.key, version, "-www"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            try:
                while b"ACCEPT" not in server.stdout.readline():
                    self.assertIsNone(server.poll(), "openssl s_server has ended")
                got = run(PROGRAM, "fetch", f"https://localhost:{port}/", "--authority", self.certificate)
                self.assertEqual(got.returncode, 0, got.stderr)
                self.assertIn(b"s_server", got.stdout)
            finally:
                server.kill()
                server.communicate()

    def test_serve_says_what_is_wrong_with_its_files(self):
        got = run(PROGRAM, "serve", str(self.root), "--port", "0", "--tls", self.certificate, str(self.root / "other.key"))
        self.assertEqual(got.returncode, 2)
        self.assertIn(b"key values mismatch", got.stderr)


if __name__ == "__main__":
    PROGRAM, OPENSSL = sys.argv[1:3]
    sys.exit(unittest.main(argv=sys.argv[:1]))
