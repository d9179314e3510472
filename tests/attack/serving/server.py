# SPDX-License-Identifier: Apache-2.0
"""A gyre serve under attack: its process, its folder, its counters, and a client that must not suffer."""

import http.client
import os
import re
import resource
import signal
import socket
import ssl
import subprocess
import threading
import time

HELLO = b"hello world"
LARGE_BYTES = 4 << 20
SECRET = b"a secret outside of the folder"
ANSWER_WITHIN_S = 60  # far beyond what a healthy server takes on a busy machine


def make_folder(root):
    """The folder that is served, with a secret beside it."""
    public = os.path.join(root, "public")
    os.makedirs(public)
    for name, text in (("a.txt", HELLO), ("large.bin", bytes(LARGE_BYTES))):
        with open(os.path.join(public, name), "wb") as file:
            file.write(text)
    with open(os.path.join(root, "secret.txt"), "wb") as file:
        file.write(SECRET)
    return public


def make_certificate(root):
    """--tls and its files, or nothing without the program openssl."""
    files = [os.path.join(root, name) for name in ("cert.pem", "cert.key")]
    try:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-out", files[0], "-keyout", files[1]],
            check=True, capture_output=True, timeout=60,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return []
    return ["--tls", *files]


class Server:
    """Started at once, on loopback. `limits` are those of resource.setrlimit: {RLIMIT_AS: bytes}."""

    def __init__(self, program, folder, *arguments, port=0, limits=None, reads_lines=True):
        self.is_secure = "--tls" in arguments
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GYRE_")}

        def limit():
            for what, value in (limits or {}).items():
                resource.setrlimit(what, (value, value))

        quiet = ["--quiet"] if reads_lines else []
        self.process = subprocess.Popen(
            [program, "serve", folder, "--port", str(port), "--threads", "1", "--metrics", *quiet, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, preexec_fn=limit, bufsize=0,
        )  # fmt: skip
        line = self.process.stdout.readline().decode()
        found = re.search(r":(\d+)\n$", line)
        if found is None:
            raise RuntimeError(f"gyre serve did not start: {line}{self.process.stderr.read().decode()}")
        self.port = int(found[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def connect(self, timeout=ANSWER_WITHIN_S):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def wrapped(self, plain):
        if not self.is_secure:
            return plain
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context.wrap_socket(plain)

    def get(self, path="/a.txt"):
        """The status and the body, by a connection of its own."""
        with self.wrapped(self.connect()) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            return answer.status, answer.read()

    def counter(self, name):
        text = self.get("/metrics")[1].decode()
        return sum(int(float(value)) for value in re.findall(rf"^gyre_http_{name}(?:{{[^}}]*}})? ([0-9.e+]+)$", text, re.MULTILINE))

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmRSS:\s+(\d+) kB", file.read())[1]) * 1024

    def descriptor_count(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self):
        """After SIGTERM: the exit status, and what it printed on standard error."""
        self.process.send_signal(signal.SIGTERM)
        _, errors = self.process.communicate(timeout=2 * ANSWER_WITHIN_S)
        return self.process.returncode, errors.decode()

    def is_alive(self):
        return self.process.poll() is None

    def wait_until(self, is_true, seconds=ANSWER_WITHIN_S):
        """Whether it became true in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if is_true():
                return True
            time.sleep(0.05)
        return False


class Witness:
    """A client beside the attack: asks again and again, and counts what was not answered well."""

    def __init__(self, server, accepts=(200,)):
        self.server = server
        self.accepts = accepts
        self.count = 0
        self.wrong = []
        self.latest_s = 0.0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        self._thread.join()

    def _run(self):
        while True:  # once at least
            begun = time.monotonic()
            try:
                status, body = self.server.get()
                is_right = status in self.accepts and (status != 200 or body == HELLO)
                if not is_right:
                    self.wrong.append(f"status {status}")
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append(f"{type(error).__name__}")
            self.count += 1
            self.latest_s = max(self.latest_s, time.monotonic() - begun)
            if self._is_over.wait(0.02):
                return

    def is_well(self):
        return self.count > 0 and not self.wrong

    def seen(self):
        wrong = f", {len(self.wrong)} not ({self.wrong[0]})" if self.wrong else ""
        return f"{self.count - len(self.wrong)} others answered{wrong}, the latest after {self.latest_s * 1000:.0f} ms"
