# SPDX-License-Identifier: Apache-2.0
"""The attacks on gyre serve. Each takes a Stage, and returns whether the promise held and what was seen. All of them are bounded in
the number of connections and in time, and use loopback alone."""

import http.client
import os
import random
import resource
import select
import signal
import socket
import struct
import threading
import time

from serving.server import ANSWER_WITHIN_S, LARGE_BYTES, SECRET, Server, Witness

SLOW_HEAD = b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "
SLOW_BODY = b"POST /a.txt HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
CONNECTION_BYTES = 64 << 10  # what a connection may cost, at most
SLACK_BYTES = 16 << 20  # of the allocator
FIRST_REQUEST_WITHIN_S = 0.9  # a second, and what the client needs to look at its clock
LEFT_BYTES = 2 << 20  # what a server keeps after a crowd, besides half of what the crowd took


class Stage:
    """What the attacks share: the program, its folder, the options of TLS, the time and size of each."""

    def __init__(self, program, root, folder, tls, seconds, crowd):
        self.program, self.root, self.folder, self.tls = program, root, folder, tls
        self.seconds, self.crowd = seconds, crowd
        self.chance = random.Random(7)

    def server(self, *arguments, **options):
        return Server(self.program, self.folder, *arguments, **options)

    def end(self):
        return time.monotonic() + self.seconds


def open_all(server, count, first=b""):
    """As many connections as can be had; each has sent `first`."""
    opened = []
    for _ in range(count):
        try:
            connection = server.connect()
            if first:
                connection.sendall(first)
            opened.append(connection)
        except OSError:
            break
    return opened


def close_all(connections):
    for connection in connections:
        connection.close()


def reset(connection):
    """Closes it with a reset."""
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass
    connection.close()


def dribble(stage, connections):
    """A byte to each, again and again."""
    end = stage.end()
    while time.monotonic() < end:
        for connection in connections:
            try:
                connection.send(b"x")
            except OSError:
                pass
        time.sleep(0.1)


def slow_senders(stage, first, *arguments):
    with stage.server(*arguments) as server:
        before = server.resident_bytes()
        with Witness(server) as witness:
            slow = open_all(server, stage.crowd, first)
            dribble(stage, slow)
            grown = server.resident_bytes() - before
            close_all(slow)
        is_back = server.wait_until(lambda: server.counter("connections") <= 2)
        status, errors = server.stop()
        holds = witness.is_well() and is_back and status == 0 and grown <= len(slow) * CONNECTION_BYTES + SLACK_BYTES
        return holds, f"{len(slow)} slow connections cost {grown >> 10} KB; {witness.seen()}; exit {status}{errors}"


def slow_heads(stage):
    return slow_senders(stage, SLOW_HEAD)


def slow_bodies(stage):
    return slow_senders(stage, SLOW_BODY)


def slow_readers(stage):
    with stage.server() as server:
        before = server.resident_bytes()
        with Witness(server) as witness:
            slow = []
            for _ in range(stage.crowd):
                connection = socket.socket()
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.settimeout(ANSWER_WITHIN_S)
                connection.connect(("127.0.0.1", server.port))
                connection.sendall(b"GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n")
                slow.append(connection)
            end = stage.end()
            while time.monotonic() < end:
                for connection in slow:
                    connection.recv(16)
                time.sleep(0.1)
            grown = server.resident_bytes() - before
            close_all(slow)
        status, _ = server.stop()
        holds = witness.is_well() and status == 0 and grown <= len(slow) * CONNECTION_BYTES + SLACK_BYTES
        return holds, f"{len(slow)} slow readers of {LARGE_BYTES >> 20} MB cost {grown >> 10} KB; {witness.seen()}; exit {status}"


def resets(stage):
    with stage.server() as server:
        descriptors = server.descriptor_count()
        count, end = 0, stage.end()
        with Witness(server) as witness:
            while time.monotonic() < end and count < 100_000:
                connection = server.connect()
                text = stage.chance.choice([b"", b"GET", b"GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n", b"\x00\xff" * 40])
                connection.sendall(text)
                if text.startswith(b"GET /") and stage.chance.random() < 0.3:
                    connection.recv(1)
                reset(connection)
                count += 1
        is_back = server.wait_until(lambda: server.descriptor_count() <= descriptors)
        status, _ = server.stop()
        return witness.is_well() and is_back and status == 0, f"{count} resets; {witness.seen()}; descriptors {'as before' if is_back else 'leaked'}"


def no_descriptors(stage):
    """Few descriptors for the server, more clients than these."""
    with stage.server(limits={resource.RLIMIT_NOFILE: 64}) as server:
        crowd = open_all(server, 200, b"GET /a.txt HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        statuses = set()
        for connection in crowd[:10]:  # Of those that the server has accepted.
            try:
                connection.sendall(b"x\r\n\r\n")
                answer = http.client.HTTPResponse(connection)
                answer.begin()
                statuses.add(answer.status)
            except (OSError, http.client.HTTPException) as error:
                statuses.add(type(error).__name__)
        close_all(crowd)
        is_back = server.wait_until(lambda: server.get()[0] == 200) if server.is_alive() else False
        status = server.stop()[0] if server.is_alive() else server.process.returncode
        holds = 404 not in statuses and is_back and status == 0
        return holds, f"{len(crowd)} clients, 64 descriptors: answered {sorted(map(str, statuses))}; then 200: {is_back}; exit {status}"


def memory_limit(stage):
    limit = 1 << 20
    with stage.server("--memory-limit", "1M") as server:
        before = server.resident_bytes()
        crowd = open_all(server, stage.crowd, SLOW_HEAD + b"x" * 16_000)
        select.select(crowd, [], [], ANSWER_WITHIN_S)  # until one is answered
        time.sleep(min(stage.seconds, 2))
        grown = server.resident_bytes() - before
        refused = 0
        for connection in crowd:
            connection.setblocking(False)
            try:
                refused += connection.recv(12).endswith(b" 503")
            except OSError:
                pass
        close_all(crowd)
        is_back = server.wait_until(lambda: server.get()[0] == 200)
        counted = server.counter("over_memory_total")
        status, _ = server.stop()
        holds = refused > 0 and counted >= refused and is_back and status == 0 and grown <= limit + SLACK_BYTES
        return holds, f"{len(crowd)} heads of 16 KB: {refused} got 503, {counted} counted, {grown >> 10} KB more; then 200: {is_back}"


def little_address_space(stage):
    """Without a budget that fits: allocations fail, and must cost connections alone."""
    with stage.server("--memory-limit", "1G", limits={resource.RLIMIT_AS: 160 << 20}) as server:
        crowd = open_all(server, stage.crowd, SLOW_HEAD + b"x" * 16_000)
        time.sleep(min(stage.seconds, 2))
        is_alive = server.is_alive()
        close_all(crowd)
        is_back = is_alive and server.wait_until(lambda: server.get()[0] == 200)
        status = server.stop()[0] if server.is_alive() else server.process.returncode
        return is_alive and is_back and status == 0, f"{len(crowd)} heads under 160 MB of addresses: alive {is_alive}; then 200: {is_back}; exit {status}"


def swap(stage, path, is_over):
    """Puts a file, a link to the secret, a FIFO and a folder at the path, again and again."""
    spare = os.path.join(stage.root, "spare")
    while not is_over.is_set():
        kind = stage.chance.randrange(4)
        if kind == 0:
            with open(spare, "wb") as file:
                file.write(b"public")
        elif kind == 1:
            os.symlink(os.path.join(stage.root, "secret.txt"), spare)
        elif kind == 2:
            os.mkfifo(spare)
        else:
            os.symlink("a.txt", spare)
        os.replace(spare, path)


def swapped_files(stage):
    path = os.path.join(stage.folder, "swapped")
    is_over = threading.Event()
    with stage.server() as server:
        swapper = threading.Thread(target=swap, args=(stage, path, is_over))
        swapper.start()
        statuses, leaks, count = set(), 0, 0
        with Witness(server) as witness:
            end = stage.end()
            while time.monotonic() < end:
                try:
                    status, body = server.get("/swapped")
                except (OSError, http.client.HTTPException) as error:
                    status, body = type(error).__name__, b""
                statuses.add(status)
                leaks += SECRET in body
                count += 1
        is_over.set()
        swapper.join()
        os.unlink(path)
        status, _ = server.stop()
        holds = leaks == 0 and statuses <= {200, 404} and witness.is_well() and status == 0
        return holds, f"{count} requests, {leaks} leaks, statuses {sorted(map(str, statuses))}; {witness.seen()}"


def ask_until_refused(server, tally, lock):
    """New connections, a request each, until one is refused. A request that was sent and not answered is lost. A server that
    stops waits a second for the first request of a connection: those sent later are `late`."""
    while True:
        try:
            connection = server.connect()
        except OSError:
            return
        outcome = "lost"
        connected_at, sent_at = time.monotonic(), None
        try:
            with server.wrapped(connection) as wrapped:
                wrapped.sendall(b"GET /a.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                sent_at = time.monotonic()
                answer = http.client.HTTPResponse(wrapped)
                answer.begin()
                outcome = "answered" if answer.read() else "lost"
        except (OSError, http.client.HTTPException):
            pass
        if outcome == "lost" and (sent_at or time.monotonic()) - connected_at > FIRST_REQUEST_WITHIN_S:
            outcome = "late"
        with lock:
            tally[outcome] = tally.get(outcome, 0) + 1


def stop_under_load(stage, *arguments):
    tally, lock = {}, threading.Lock()
    with stage.server(*arguments) as server:
        clients = [threading.Thread(target=ask_until_refused, args=(server, tally, lock)) for _ in range(8)]
        for client in clients:
            client.start()
        time.sleep(min(stage.seconds, 3))
        server.wait_until(lambda: tally.get("answered", 0) > 0)
        status, errors = server.stop()
        for client in clients:
            client.join()
        holds = tally.get("lost", 0) == 0 and tally.get("answered", 0) > 0 and status == 0
        return holds, f"{tally.get('answered', 0)} answered, {tally.get('lost', 0)} lost, exit {status}{errors}"


def stop_over_tls(stage):
    return stop_under_load(stage, *stage.tls)


def kill_and_restart(stage):
    rounds, port, late = 0, 0, 0.0
    end = stage.end()
    while time.monotonic() < end or rounds < 2:
        with stage.server(port=port) as server:
            port = server.port
            begun = time.monotonic()
            crowd = open_all(server, 20, b"GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n")
            if server.get()[0] != 200:
                return False, f"no answer after restart {rounds}"
            late = max(late, time.monotonic() - begun)
            os.kill(server.process.pid, signal.SIGKILL)
            server.process.wait(timeout=ANSWER_WITHIN_S)
            close_all(crowd)
            rounds += 1
    return True, f"{rounds} restarts on port {port}, all answered, the latest after {late * 1000:.0f} ms"


def silent_handshakes(stage):
    with stage.server(*stage.tls) as server:
        server.get()
        before = server.resident_bytes()
        with Witness(server) as witness:
            silent = open_all(server, stage.crowd)
            halves = open_all(server, stage.crowd, b"\x16\x03\x01\x02\x00\x01\x00")
            garbage = open_all(server, stage.crowd // 4, bytes(range(256)))
            server.get()  # behind them: all are accepted
            time.sleep(min(stage.seconds, 2))
            grown = server.resident_bytes() - before
            # timeouts.handshake is 5 s: then the server closes them by itself.
            is_back = server.wait_until(lambda: server.descriptor_count() < 40)
            close_all(silent + halves + garbage)
            has_shrunk = server.wait_until(lambda: server.resident_bytes() - before <= grown // 2 + LEFT_BYTES)
            left = server.resident_bytes() - before
        status, _ = server.stop()
        count = len(silent) + len(halves) + len(garbage)
        is_bounded = grown <= count * (16 << 10) + SLACK_BYTES
        holds = witness.is_well() and is_back and status == 0 and is_bounded and has_shrunk
        return holds, (
            f"{count} handshakes that do not go on cost {grown >> 10} KB, closed by the server: {is_back}, "
            f"{left >> 10} KB are left; {witness.seen()}")


def unread_log(stage):
    with stage.server(reads_lines=False) as server:
        with Witness(server) as witness:
            end, count = stage.end(), 0
            while time.monotonic() < end or count < 1500:
                if server.get()[0] == 200:
                    count += 1
        server.process.send_signal(signal.SIGTERM)
        try:
            status = server.process.wait(timeout=ANSWER_WITHIN_S)
        except Exception:  # pylint: disable=broad-except
            return False, "did not stop"
        errors = server.process.stderr.read().decode().strip()
        return witness.is_well() and status == 0 and "dropped" in errors, f"{witness.seen()}; said: {errors}"


ATTACKS = [
    ("slow heads", "others are answered, 64 KB a connection", slow_heads),
    ("slow bodies", "others are answered, 64 KB a connection", slow_bodies),
    ("slow readers", "others are answered, 64 KB a connection", slow_readers),
    ("resets", "others are answered, no descriptor is left", resets),
    ("no descriptors left", "never 404; serves again", no_descriptors),
    ("memory limit", "503 and counted; serves again", memory_limit),
    ("little address space", "the process lives; serves again", little_address_space),
    ("swapped files", "nothing from outside, 200 or 404, nobody waits", swapped_files),
    ("SIGTERM under load", "no request is lost, exit 0", stop_under_load),
    ("kill -9 and restart", "the port is free at once, files are served", kill_and_restart),
    ("a log that nobody reads", "others are answered, dropped lines are counted", unread_log),
]
TLS_ATTACKS = [
    ("silent handshakes", "16 KB each, closed after 5 s, memory goes back", silent_handshakes),
    ("SIGTERM under TLS load", "no request is lost, exit 0", stop_over_tls),
]
