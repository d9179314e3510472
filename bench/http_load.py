#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cases of the group http for one server: starts it, loads it with wrk, says what a request costs it.

    http_load.py KIND COMMAND... --cases a,b,c [--quick]

Called by bench/run.py, which describes the protocol. Kinds and commands: http_servers.py. The server and wrk share one
core; what counts is the server's own processor time, of all its threads. Everything that is
started ends with this program.
"""

import ctypes
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import http_servers  # noqa: E402

BENCH_DIR = os.path.dirname(os.path.abspath(__file__))
LARGE_FILE = "large.bin"
FILE_BYTES = 1 << 20
CONNECTION_COUNT = 64
FILE_CONNECTION_COUNT = 8  # What is half sent at the end was paid for and does not count.
START_LIMIT_S = 10
PR_SET_PDEATHSIG = 1


class LoadError(Exception):
    """What ended the measuring, in a sentence."""


def end_with_parent():
    """In a child, before it becomes a server: it goes when this program does, however that ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Server:
    """A server while it runs: a context."""

    def __init__(self, kind, command, place):
        self.place = place
        self.scheme = "https" if place.certificate else "http"
        self.log_path = os.path.join(place.scratch, "server.log")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                http_servers.start_command(kind, command, place),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                preexec_fn=end_with_parent,
            )

    def __enter__(self):
        try:
            self.wait_until_it_listens()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_failure):
        self.process.kill()
        self.process.wait()

    def wait_until_it_listens(self):
        give_up_at = time.monotonic() + START_LIMIT_S
        while time.monotonic() < give_up_at:
            if self.process.poll() is not None:
                with open(self.log_path, encoding="utf-8", errors="replace") as log:
                    last_line = (log.read().strip().splitlines() or ["no message"])[-1]
                raise LoadError(f"the server ended with {self.process.returncode}: {last_line}")
            try:
                socket.create_connection(("127.0.0.1", self.place.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.01)
        raise LoadError(f"the server does not listen after {START_LIMIT_S} s")

    def used_ns(self):
        """Processor time of all its threads: the clock that Linux gives to each process."""
        return time.clock_gettime_ns((~self.process.pid << 3) | 2)

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/smaps_rollup", encoding="ascii") as file:
            for line in file:
                if line.startswith("Rss:"):
                    return int(line.split()[1]) * 1024
        raise LoadError("no size of the server's memory")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_files(scratch):
    folder = os.path.join(scratch, "files")
    os.mkdir(folder)
    with open(os.path.join(folder, "plaintext"), "w", encoding="ascii") as file:
        file.write("Hello, World!")
    with open(os.path.join(folder, LARGE_FILE), "wb") as file:
        file.write(bytes(range(256)) * (FILE_BYTES // 256))


def make_certificate(scratch):
    certificate = os.path.join(scratch, "certificate.pem")
    key = os.path.join(scratch, "key.pem")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return certificate, key


def load(server, path, depth, seconds):
    """(answers, 99th percentile of the waiting in ns) of so many seconds of wrk."""
    url = f"{server.scheme}://127.0.0.1:{server.place.port}/{path}"
    count = FILE_CONNECTION_COUNT if path == LARGE_FILE else CONNECTION_COUNT
    command = ["wrk", "-t1", f"-c{count}", f"-d{seconds}s", "--latency", "--timeout", "20s"]
    command += ["-s", os.path.join(BENCH_DIR, "wrk.lua"), url, "--", str(depth)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, preexec_fn=end_with_parent
    )
    found = re.search(r"^answers (\d+) failures (\d+) microseconds (\d+)$", done.stdout, re.M)
    if done.returncode != 0 or not found:
        raise LoadError(f"wrk ended with {done.returncode}: {done.stderr.strip()}")
    answer_count, failure_count, duration_us = map(int, found.groups())
    if answer_count < count or failure_count > 0:
        raise LoadError(f"{failure_count} of {answer_count} requests failed")
    times = {int(t): int(n) for t, n in re.findall(r"^time (\d+) (\d+)$", done.stdout, re.M)}
    times = without_guesses(times, duration_us // (answer_count // count))
    return answer_count, percentile(times, 0.99) * 1000


def without_guesses(times, interval):
    """wrk's record of {time: count} as it was measured.

    For each time of more than two mean intervals wrk adds one at each interval below it, for requests that it
    should have sent meanwhile; but where those are below the least time its percentiles come out as 0.
    """
    return {
        time: n - (times.get(time + interval, 0) if time > interval else 0)
        for time, n in times.items()
    }


def percentile(times, part):
    """The time that this part of all is not above."""
    left = part * sum(times.values())
    for time, n in sorted(times.items()):
        left -= n
        if left <= 0:
            return time
    raise LoadError("wrk has recorded no time")


def measure_load(server, path, depth, is_quick):
    """The processor time of the server, that of both sides, and the 99th percentile of the waiting, in ns a request."""
    load(server, path, depth, 1)  # Until pages, pools and compiled code are there.
    before, client_before = server.used_ns(), client_used_ns()
    answer_count, p99_ns = load(server, path, depth, 1 if is_quick else 2)
    server_ns = (server.used_ns() - before) / answer_count
    client_ns = (client_used_ns() - client_before) / answer_count
    return server_ns, server_ns + client_ns, p99_ns


def client_used_ns():
    """The processor time of every wrk that has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e9


def ask_once(port):
    """A connection that has had its answer, and stays."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.sendall(b"GET /plaintext HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    answer = b""
    while not answer.endswith(b"Hello, World!"):
        piece = connection.recv(4096)
        if not piece:
            raise LoadError("the server closed a connection instead of answering")
        answer += piece
    return connection


def measure_idle(server, is_quick):
    """Growth of the server's memory, in bytes for each connection that waits for its next request."""
    wanted = 500 if is_quick else 4000
    count = min(wanted, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100)
    connections = [ask_once(server.place.port)]
    before = server.resident_bytes()
    connections += [ask_once(server.place.port) for _ in range(count)]
    time.sleep(0.5)  # What a server does a little later, such as giving memory back.
    grown = server.resident_bytes() - before
    for connection in connections:
        connection.close()
    return grown / count


def measure(kind, command, case, is_quick, scratch):
    """{case: value} of the measuring that has this case."""
    is_encrypted = case.startswith("http_tls")
    certificate, key = make_certificate(scratch) if is_encrypted else (None, None)
    place = http_servers.Place(scratch, free_port(), certificate, key)
    with Server(kind, command, place) as server:
        if case == "http_idle":
            return {case: measure_idle(server, is_quick)}
        name = case.removesuffix("_p99").removesuffix("_both")
        path = LARGE_FILE if name == "http_file" else "plaintext"
        depth = 16 if name == "http_pipelined" else 1
        cpu_ns, both_ns, p99_ns = measure_load(server, path, depth, is_quick)
        return {name: cpu_ns, name + "_both": both_ns, name + "_p99": p99_ns}


def run(kind, command, wanted, is_quick):
    # Both sides on one core, the first that is allowed; children inherit that.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    values = {}
    for case in wanted:
        if case in values:
            continue
        with tempfile.TemporaryDirectory(prefix="gyre-bench-") as scratch:
            make_files(scratch)
            values |= measure(kind, command, case, is_quick, scratch)
    for case in wanted:
        print(f"{case}\t{values[case]:.3f}")


def main():
    options = next((i for i, word in enumerate(sys.argv) if word.startswith("--")), len(sys.argv))
    if options < 3 or options == len(sys.argv):
        sys.exit(__doc__)
    kind, command = sys.argv[1], sys.argv[2:options]
    if sys.argv[options] == "--list":
        print("\n".join(http_servers.cases_of(kind)))
        return 0
    wanted = sys.argv[options + 1].split(",")
    try:
        run(kind, command, wanted, "--quick" in sys.argv[options:])
    except LoadError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
