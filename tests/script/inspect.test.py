#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gyre run --inspect: a client of the Chrome DevTools protocol pauses, steps, evaluates and hears the console.

    inspect.test.py GYRE
"""
import base64
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

GYRE = str(pathlib.Path(sys.argv[1]).resolve())
LIMIT_SECONDS = 300


class Client:
    """One WebSocket and its messages."""

    def __init__(self, address, path=None, headers=()):
        url = urllib.parse.urlparse(address)
        self.socket = socket.create_connection((url.hostname, url.port), timeout=LIMIT_SECONDS)
        self.stream = self.socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path or url.path} HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        if not any(header.lower().startswith("host:") for header in headers):
            lines.append(f"Host: {url.netloc}")
        self.socket.sendall("\r\n".join([*lines, *headers, "", ""]).encode())
        self.status = int(self.stream.readline().split()[1])
        while self.stream.readline() not in (b"\r\n", b""):
            pass
        self.last = 0
        self.waiting = []

    def close(self):
        self.stream.close()
        self.socket.close()

    def frame(self, opcode, payload, is_final=True):
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([(0x80 if is_final else 0) | opcode])
        head += bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size) if size < 65536 else bytes([0x80 | 127]) + struct.pack(">Q", size)
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    def read_frame(self):
        head = self.stream.read(2)
        if len(head) < 2:
            return None, b""
        size = head[1] & 127
        if size == 126:
            size = struct.unpack(">H", self.stream.read(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.stream.read(8))[0]
        return head[0] & 15, self.stream.read(size)

    def message(self):
        opcode, payload = self.read_frame()
        if opcode != 1:
            raise ConnectionError(f"frame {opcode} {payload!r}")
        return json.loads(payload)

    def send(self, method, **params):
        self.last += 1
        self.frame(1, json.dumps({"id": self.last, "method": method, "params": params}).encode())
        return self.last

    def call(self, method, **params):
        number = self.send(method, **params)
        while True:
            message = self.message()
            if message.get("id") == number:
                return message["result"] if "result" in message else message
            self.waiting.append(message)

    def event(self, method):
        for i, message in enumerate(self.waiting):
            if message.get("method") == method:
                return self.waiting.pop(i)["params"]
        while True:
            message = self.message()
            if message.get("method") == method:
                return message["params"]
            self.waiting.append(message)

    def url_of(self, frame):
        return next(message["params"]["url"] for message in self.waiting if message.get("method") == "Debugger.scriptParsed" and message["params"]["scriptId"] == frame["location"]["scriptId"])


class Inspect(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def start(self, text, *flags, name="main.js"):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text)
        self.program = subprocess.Popen([GYRE, "run", *(flags or ["--inspect-brk=0"]), str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.program.stdin.close)
        self.addCleanup(self.program.stdout.close)
        self.addCleanup(self.program.stderr.close)
        self.addCleanup(self.program.wait)
        self.addCleanup(self.program.kill)
        line = self.program.stderr.readline()
        self.address = line.split()[-1] if line else ""
        self.assertRegex(line, r"^Debugger listening on ws://127\.0\.0\.1:\d+/[0-9a-f-]{36}\n$")
        return line.split()[-1]

    def connect(self, address, **options):
        client = Client(address, **options)
        self.addCleanup(client.close)
        return client

    def begin(self, text, name="main.js"):
        """Paused before the first line."""
        client = self.connect(self.start(text, name=name))
        self.assertEqual(client.status, 101)
        client.call("Runtime.enable")
        client.call("Debugger.enable")
        client.call("Runtime.runIfWaitingForDebugger")
        return client, client.event("Debugger.paused")

    def get(self, address, path, host=None):
        url = urllib.parse.urlparse(address)
        with socket.create_connection((url.hostname, url.port), timeout=LIMIT_SECONDS) as peer:
            peer.sendall(f"GET {path} HTTP/1.1\r\nHost: {host or url.netloc}\r\n\r\n".encode())
            answer = b""
            while chunk := peer.recv(65536):
                answer += chunk
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), body.decode()

    def ends(self, status=0):
        self.assertEqual(self.program.wait(LIMIT_SECONDS), status, self.program.stderr.read())
        return self.program.stdout.read()

    def test_the_first_line_waits_for_the_client(self):
        client, paused = self.begin("const a = 1;\nconsole.log('ran', a);\n")
        frame = paused["callFrames"][0]
        self.assertEqual(client.url_of(frame), pathlib.Path(self.folder.name, "main.js").as_uri())
        self.assertEqual(frame["location"]["lineNumber"], 0)
        client.call("Debugger.resume")
        event = client.event("Runtime.consoleAPICalled")
        self.assertEqual((event["type"], [one["value"] for one in event["args"]]), ("log", ["ran", 1]))
        client.event("Runtime.executionContextDestroyed")
        self.assertEqual(client.read_frame()[0], 8)
        self.assertEqual(self.ends(), "ran 1\n")

    def test_the_first_line_of_a_module_too(self):
        client, paused = self.begin("const a = await 1;\nconsole.log(typeof a);\n", name="main.mjs")
        self.assertTrue(client.url_of(paused["callFrames"][0]).endswith("/main.mjs"))
        client.call("Debugger.resume")
        client.event("Runtime.executionContextDestroyed")
        self.assertEqual(self.ends(), "number\n")

    def test_breakpoints_steps_and_the_values_of_a_frame(self):
        client, _ = self.begin("function add(a, b) {\n  const sum = a + b;\n  return sum;\n}\nlet result = add(2, 3);\nconsole.log(result);\n")
        place = client.call("Debugger.setBreakpointByUrl", lineNumber=1, urlRegex=r".*main\.js$")
        self.assertEqual(place["locations"][0]["lineNumber"], 1)
        client.call("Debugger.resume")
        paused = client.event("Debugger.paused")
        frame = paused["callFrames"][0]
        self.assertEqual((frame["functionName"], frame["location"]["lineNumber"]), ("add", 1))
        value = client.call("Debugger.evaluateOnCallFrame", callFrameId=frame["callFrameId"], expression="[a, b, a * b].join()")
        self.assertEqual(value["result"]["value"], "2,3,6")
        client.call("Debugger.stepOver")
        frame = client.event("Debugger.paused")["callFrames"][0]
        self.assertEqual(frame["location"]["lineNumber"], 2)
        local = next(scope for scope in frame["scopeChain"] if scope["type"] == "local")
        names = client.call("Runtime.getProperties", objectId=local["object"]["objectId"], ownProperties=True)["result"]
        self.assertEqual({one["name"]: one["value"].get("value") for one in names if one["name"] in ("a", "b", "sum")}, {"a": 2, "b": 3, "sum": 5})
        client.call("Debugger.stepOut")
        self.assertEqual(client.event("Debugger.paused")["callFrames"][0]["functionName"], "")
        client.call("Debugger.resume")
        client.event("Runtime.executionContextDestroyed")
        self.assertEqual(self.ends(), "5\n")

    def test_a_loop_that_never_ends_is_paused(self):
        address = self.start("while (!globalThis.stop) {}\nconsole.log('out');\n", "--inspect=0")
        client = self.connect(address)
        client.call("Debugger.enable")
        client.call("Debugger.pause")
        frame = client.event("Debugger.paused")["callFrames"][0]
        client.call("Debugger.evaluateOnCallFrame", callFrameId=frame["callFrameId"], expression="globalThis.stop = true")
        client.call("Debugger.resume")
        self.assertEqual(self.ends(), "out\n")

    def test_values_are_evaluated_between_jobs_and_awaited(self):
        client = self.connect(self.start("globalThis.seen = [];\nsetInterval(() => seen.push(1), 5);\n", "--inspect=0"))
        value = client.call("Runtime.evaluate", expression="new Promise((done) => setTimeout(() => done('later'), 20))", awaitPromise=True)
        self.assertEqual(value["result"]["value"], "later")
        text = "\u00e9\u2028\U0001f600"
        self.assertEqual(client.call("Runtime.evaluate", expression=json.dumps(text, ensure_ascii=False))["result"]["value"], text)
        self.assertIn("ReferenceError", client.call("Runtime.evaluate", expression="missing")["exceptionDetails"]["exception"]["description"])
        client.send("Runtime.evaluate", expression="process.exit(7)")
        self.ends(7)

    def test_a_pause_without_a_client_goes_on(self):
        client, _ = self.begin("debugger;\nconsole.log('on');\n")
        client.close()
        self.assertEqual(self.ends(), "on\n")

    def test_a_client_that_leaves_in_the_middle_of_its_own_pause(self):
        client = self.connect(self.start("process.stdin.on('data', (text) => { console.log(`${text}`.trim()); process.exit(); });\n", "--inspect=0"))
        client.call("Debugger.enable")
        client.send("Runtime.evaluate", expression="debugger; globalThis.after = 'after'")
        client.event("Debugger.paused")
        client.close()
        again = self.connect_when_free()
        self.assertEqual(again.call("Runtime.evaluate", expression="after")["result"]["value"], "after")
        self.program.stdin.write("end\n")
        self.program.stdin.flush()
        self.assertEqual(self.ends(), "end\n")

    def connect_when_free(self):
        """The server learns of the end of a connection in its own time."""
        for _ in range(10_000):
            client = Client(self.address)
            if client.status == 101:
                self.addCleanup(client.close)
                return client
            client.close()
        raise AssertionError("the place of the client was not given back")

    def test_one_client_at_a_time_by_the_id_and_from_this_machine(self):
        address = self.start("setInterval(() => {}, 1000);\n", "--inspect=0")
        first = self.connect(address)
        self.assertEqual(first.status, 101)
        self.assertEqual(self.connect(address).status, 503)
        self.assertEqual(self.connect(address, path="/00000000-0000-4000-8000-000000000000").status, 404)
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:9229", ""):
            self.assertEqual(self.connect(address, headers=[f"Host: {host}"]).status, 400, host)
            self.assertEqual(self.get(address, "/json/list", host or " ")[0], 400, host)
        status, text = self.get(address, "/json/list", "localhost:1")
        self.assertEqual((status, json.loads(text)[0]["webSocketDebuggerUrl"]), (200, address))
        self.assertIn("Protocol-Version", json.loads(self.get(address, "/json/version")[1]))
        self.assertEqual(self.get(address, "/")[0], 404)
        self.assertEqual(first.call("Runtime.evaluate", expression="6 * 7")["result"]["value"], 42)

    def test_frames_in_pieces_pings_and_broken_frames(self):
        self.start("setInterval(() => {}, 1000);\n", "--inspect=0")
        client = self.connect(self.address)
        message = json.dumps({"id": 1, "method": "Runtime.evaluate", "params": {"expression": "'x'.repeat(70000).length"}}).encode()
        client.frame(1, message[:10], is_final=False)
        client.frame(9, b"here")
        client.frame(0, message[10:])
        self.assertEqual(client.read_frame(), (10, b"here"))
        self.assertEqual(client.message()["result"]["result"]["value"], 70000)
        client.frame(1, b"not JSON")
        self.assertIn("error", client.message())
        client.socket.sendall(b"\x81\x02hi")  # without a mask
        self.assertIn(client.read_frame()[0], (8, None))
        again = self.connect_when_free()
        self.assertEqual(len(again.call("Runtime.evaluate", expression="'y'.repeat(70000)")["result"]["value"]), 70000)

    def test_limits_end_a_script_that_is_paused(self):
        address = self.start("debugger;\n", "--inspect-brk=0", "--time-limit", "3s")
        try:
            client = self.connect(address)
            client.call("Debugger.enable")
            client.call("Runtime.runIfWaitingForDebugger")
            client.event("Debugger.paused")
        except (ConnectionError, IndexError):
            pass  # The machine was so slow that the limit came first: in a wait, too.
        self.ends(4)

    def test_what_cannot_be_is_refused(self):
        for flags, word in ((["--engine", "quickjs", "--inspect"], "no debugger"), (["--clock", "virtual", "--inspect"], "real time"), (["--inspect=70000"], "65535")):
            done = subprocess.run([GYRE, "run", *flags, "-e", "1"], capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(word, done.stderr)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            done = subprocess.run([GYRE, "run", f"--inspect={port}", "-e", "1"], capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("in use", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
