# SPDX-License-Identifier: Apache-2.0
"""TLS against the programs of others: openssl s_client, openssl s_server, curl and Python's own client; names,
certificates of clients, and certificates that change while a server runs.

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
        arguments, input=stdin, capture_output=True, check=False, env=environment(), timeout=300
    )


class Certificates(unittest.TestCase):
    """A folder with certificates that sign themselves: two for localhost, two for other names, one for a client."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        names = {"cert": "localhost", "other": "localhost", "a": "a.test", "b": "b.test", "client": "alice"}
        for name, host in names.items():
            made = run(
                OPENSSL, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host},IP:127.0.0.1",
                "-keyout", str(cls.root / f"{name}.key"), "-out", str(cls.root / f"{name}.pem"),
            )  # fmt: skip
            if made.returncode != 0:
                raise unittest.SkipTest(f"openssl makes no certificates: {made.stderr.decode()}")
        cls.certificate = str(cls.root / "cert.pem")
        cls.other = str(cls.root / "other.pem")
        cls.key = str(cls.root / "cert.key")

    def pair(self, name):
        return [str(self.root / f"{name}.pem"), str(self.root / f"{name}.key")]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()


class Serving(Certificates):
    def arguments(self):
        return ["--tls", self.certificate, self.key]

    def setUp(self):
        public = self.root / "public"
        public.mkdir(exist_ok=True)
        (public / "a.txt").write_text("hello world", encoding="utf-8")
        (public / "large.bin").write_bytes(bytes(range(251)) * 8000)
        self.server = subprocess.Popen(
            [PROGRAM, "serve", "--port", "0", "--threads", "2", *self.arguments(), str(public)],
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
            self.server.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.communicate()
            self.fail("the server does not stop")
        self.assertEqual(self.server.returncode, 0)

    def fetch(self, path, *arguments):
        return run(PROGRAM, "fetch", self.base + path, *arguments)

    def s_client(self, *arguments, name="localhost"):
        request = b"GET /a.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        at = f"localhost:{self.port}"
        return run(
            OPENSSL, "s_client", "-connect", at, "-servername", name, "-CAfile", self.certificate,
            "-ign_eof", *arguments, stdin=request,
        )  # fmt: skip


class Ciphers(Serving):
    """With CBC and SHA-1, as old clients know it."""

    def old_cipher(self):
        # Security level 0: OpenSSL's own client refuses SHA-1 else.
        return self.s_client("-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0")

    def test_that_are_old_are_refused(self):
        self.assertNotIn(b"hello world", self.old_cipher().stdout)


class CompatibleCiphers(Ciphers):
    def arguments(self):
        return [*super().arguments(), "--tls-compat"]

    def test_that_are_old_are_refused(self):
        """Not with --tls-compat."""
        self.assertIn(b"hello world", self.old_cipher().stdout)


class Transfers(Serving):
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
        with socket.create_connection(("127.0.0.1", self.port), timeout=300) as plain:
            plain.sendall(b"GET /a.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try:
                answer = plain.recv(1000)
            except ConnectionResetError:
                answer = b""
            self.assertNotIn(b"HTTP/1.1", answer)

    def test_pythons_client_reads_to_a_clean_end(self):
        context = ssl.create_default_context(cafile=self.certificate)
        with socket.create_connection(("127.0.0.1", self.port), timeout=300) as plain:
            with context.wrap_socket(plain, server_hostname="localhost", suppress_ragged_eofs=False) as stream:
                stream.sendall(b"GET /a.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                got = b""
                while piece := stream.recv(1000):
                    got += piece
        self.assertTrue(got.endswith(b"hello world"), got)


class Names(Serving):
    """A server with several certificates."""

    def arguments(self):
        return [part for name in ("cert", "a", "b") for part in ("--tls", *self.pair(name))]

    def test_s_client_gets_the_certificate_of_the_name_it_asks_for(self):
        for version in ("-tls1_2", "-tls1_3"):
            for name, shown in (("a.test", b"a.test"), ("b.test", b"b.test"), ("c.test", b"localhost")):
                got = self.s_client(version, name=name)
                self.assertRegex(got.stdout, rb"subject=CN ?= ?" + shown + rb"\n", name)
                self.assertIn(b"hello world", got.stdout)

    def test_curl_gets_the_certificate_of_the_name_it_asks_for(self):
        curl = shutil.which("curl")
        if curl is None:
            self.skipTest("no curl found")
        for name in ("a", "b"):
            url = f"https://{name}.test:{self.port}/a.txt"
            to = ["--resolve", f"{name}.test:{self.port}:127.0.0.1"]
            got = run(curl, "-sS", *to, "--cacert", str(self.root / f"{name}.pem"), url)
            self.assertEqual((got.returncode, got.stdout), (0, b"hello world"), got.stderr)
            wrong = run(curl, "-sS", *to, "--cacert", self.certificate, url)
            self.assertEqual((wrong.returncode, wrong.stdout), (60, b""), wrong.stderr)


class Clients(Serving):
    """A server for those who have a certificate."""

    def arguments(self):
        return ["--tls", self.certificate, self.key, "--clients", str(self.root / "client.pem")]

    def test_curl_must_show_a_certificate(self):
        curl = shutil.which("curl")
        if curl is None:
            self.skipTest("no curl found")
        for version in (["--tls-max", "1.2"], ["--tlsv1.3"]):

            def ask(*arguments):
                return run(curl, "-sS", "--cacert", self.certificate, *version, *arguments, f"{self.base}/a.txt")

            certificate, key = self.pair("client")
            got = ask("--cert", certificate, "--key", key)
            self.assertEqual((got.returncode, got.stdout), (0, b"hello world"), got.stderr)
            certificate, key = self.pair("other")
            for refused in (ask(), ask("--cert", certificate, "--key", key)):
                self.assertNotEqual(refused.returncode, 0)
                self.assertEqual(refused.stdout, b"")

    def test_s_client_must_show_a_certificate(self):
        for version in ("-tls1_2", "-tls1_3"):
            certificate, key = self.pair("client")
            got = self.s_client(version, "-cert", certificate, "-key", key)
            self.assertIn(b"hello world", got.stdout)
            self.assertRegex(got.stdout, rb"CN ?= ?alice", "whom the server trusts is told")
            self.assertNotIn(b"hello world", self.s_client(version).stdout)

    def test_fetch_shows_its_certificate(self):
        got = self.fetch("/a.txt", "--authority", self.certificate, "--certificate", *self.pair("client"))
        self.assertEqual((got.returncode, got.stdout), (0, b"hello world"), got.stderr)
        for arguments in ([], ["--certificate", *self.pair("other")]):
            refused = self.fetch("/a.txt", "--authority", self.certificate, *arguments)
            self.assertEqual((refused.returncode, refused.stdout), (1, b""))
            self.assertIn(b"gyre fetch: ", refused.stderr)


class Reloading(Serving):
    """A server whose certificate changes while it runs."""

    def arguments(self):
        for part in ("pem", "key"):
            shutil.copy(self.root / f"cert.{part}", self.root / f"current.{part}")
        return ["--tls", *self.pair("current")]

    def reload(self):
        self.server.send_signal(signal.SIGHUP)

    def wait_for_both(self):
        heard = set()
        while len(heard) < 2:
            line = self.server.stdout.readline()
            self.assertNotEqual(line, "", "the server has ended")
            found = re.fullmatch(r"certificates reloaded by loop (\d)", line.strip())
            if found:
                heard.add(found[1])

    def connect(self, authority):
        context = ssl.create_default_context(cafile=authority)
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=300)
        return context.wrap_socket(plain, server_hostname="localhost")

    def ask(self, stream, path):
        stream.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        got = b""
        while b"\r\n\r\n" not in got:
            got += stream.recv(4096)
        head, _, body = got.partition(b"\r\n\r\n")
        self.assertTrue(head.startswith(b"HTTP/1.1 200 "), head)
        return int(re.search(rb"Content-Length: (\d+)", head)[1]), body

    def read_rest(self, stream, size, body):
        while len(body) < size:
            piece = stream.recv(1 << 16)
            self.assertNotEqual(piece, b"", "the connection was dropped")
            body += piece
        return body

    def test_new_certificates_are_for_new_connections_and_old_connections_go_on(self):
        kept = str(self.root / "session")
        self.assertIn(b"hello world", self.s_client("-tls1_3", "-sess_out", kept).stdout)
        with self.connect(self.certificate) as idle, self.connect(self.certificate) as busy:
            size, body = self.ask(idle, "/a.txt")
            self.assertEqual(self.read_rest(idle, size, body), b"hello world")
            size, body = self.ask(busy, "/large.bin")  # The most of it is still to come.
            for part in ("pem", "key"):
                shutil.copy(self.root / f"other.{part}", self.root / f"current.{part}")
            self.reload()
            self.wait_for_both()
            for _ in range(8):  # On either of the loops.
                with self.connect(self.other) as fresh:
                    self.assertEqual(self.read_rest(fresh, *self.ask(fresh, "/a.txt")), b"hello world")
                with self.assertRaises(ssl.SSLCertVerificationError):
                    self.connect(self.certificate)
            self.assertEqual(self.read_rest(busy, size, body), bytes(range(251)) * 8000)
            for stream in (idle, busy):
                self.assertEqual(self.read_rest(stream, *self.ask(stream, "/a.txt")), b"hello world")
        self.assertIn(b"New, TLSv1.3", self.s_client("-tls1_3", "-sess_in", kept).stdout)

    def test_bad_files_change_nothing(self):
        (self.root / "current.pem").write_text("no certificate", encoding="utf-8")
        self.reload()
        self.assertIn("the old certificates stay in use: ", self.server.stderr.readline())
        with self.connect(self.certificate) as stream:
            self.assertEqual(self.read_rest(stream, *self.ask(stream, "/a.txt")), b"hello world")


class Fetching(Certificates):
    def serve(self, *arguments):
        """openssl s_server with these, and its port."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = subprocess.Popen(
            [OPENSSL, "s_server", "-accept", f"127.0.0.1:{port}", "-cert", self.certificate, "-key", self.key, "-www", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        while b"ACCEPT" not in server.stdout.readline():
            self.assertIsNone(server.poll(), "openssl s_server has ended")
        return port

    def test_fetch_gets_a_page_of_s_server_with_both_versions(self):
        for version in ("-tls1_2", "-tls1_3"):
            port = self.serve(version)
            got = run(PROGRAM, "fetch", f"https://localhost:{port}/", "--authority", self.certificate)
            self.assertEqual(got.returncode, 0, got.stderr)
            self.assertIn(b"s_server", got.stdout)

    def test_fetch_names_whom_it_wants_to_talk_to(self):
        certificate, key = self.pair("other")
        port = self.serve("-servername", "localhost", "-cert2", certificate, "-key2", key)
        named = run(PROGRAM, "fetch", f"https://localhost:{port}/", "--authority", self.other)
        self.assertEqual(named.returncode, 0, named.stderr)
        # An address in numbers is no name.
        numbered = run(PROGRAM, "fetch", f"https://127.0.0.1:{port}/", "--authority", self.certificate)
        self.assertEqual(numbered.returncode, 0, numbered.stderr)

    def test_fetch_shows_its_certificate_to_s_server(self):
        for version in ("-tls1_2", "-tls1_3"):
            port = self.serve(version, "-Verify", "1", "-verify_return_error", "-CAfile", str(self.root / "client.pem"))
            url = f"https://localhost:{port}/"
            got = run(PROGRAM, "fetch", url, "--authority", self.certificate, "--certificate", *self.pair("client"))
            self.assertEqual(got.returncode, 0, got.stderr)
            self.assertIn(b"alice", got.stdout)
            refused = run(PROGRAM, "fetch", url, "--authority", self.certificate)
            self.assertEqual((refused.returncode, refused.stdout), (1, b""), refused.stderr)

    def test_serve_says_what_is_wrong_with_its_files(self):
        got = run(PROGRAM, "serve", str(self.root), "--port", "0", "--tls", self.certificate, str(self.root / "other.key"))
        self.assertEqual(got.returncode, 2)
        self.assertIn(b"key values mismatch", got.stderr)
        got = run(PROGRAM, "serve", str(self.root), "--port", "0", "--tls", str(self.root / "none.pem"), self.key)
        self.assertEqual(got.returncode, 2)
        self.assertIn(b"none.pem: No such file", got.stderr)

    def test_an_empty_file_of_authorities_does_not_mean_those_of_the_system(self):
        empty = self.root / "empty.pem"
        empty.write_text("")
        pair = (self.certificate, self.key)
        got = run(PROGRAM, "serve", str(self.root), "--port", "0", "--tls", *pair, "--clients", str(empty))
        self.assertEqual(got.returncode, 2)
        self.assertIn(b"no certificate or crl found", got.stderr)
        got = run(PROGRAM, "fetch", "https://localhost:1/", "--authority", str(empty))
        self.assertEqual(got.returncode, 1)
        self.assertIn(b"no certificate or crl found", got.stderr)


if __name__ == "__main__":
    PROGRAM, OPENSSL = sys.argv[1:3]
    sys.exit(unittest.main(argv=sys.argv[:1]))
