# SPDX-License-Identifier: Apache-2.0
"""gyre run on modules that perform the standard effects: input, the environment, HTTP in both directions.

    wasm_effects.test.py PROGRAM"""

import http.server
import json
import os
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

import program
from effect_module import effect_module
from program import gyre

SERVER = "voyd.std.http.server"


def input_request(prompt=None):
    return ("voyd.std.input", "read_line", True, {"prompt": prompt})


def http_request(url):
    return ("voyd.std.http.client", "request", True,
            {"method": "GET", "url": url, "headers": [{"name": "x-from", "value": "module"}], "body": b"",
             "redirect_policy": {"kind": "follow", "max_redirects": 20}})


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = ("from " + self.headers["x-from"]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments):
        pass


class Effects(unittest.TestCase):
    def setUp(self):
        if not program.has_wasm():
            self.skipTest("this build has no WebAssembly engine")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def module(self, *requests):
        path = os.path.join(self.folder.name, "module.wat")
        with open(path, "w", encoding="utf-8") as file:
            file.write(effect_module(*requests))
        return path

    def value(self, result):
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return json.loads(result.stdout.splitlines()[-1])["value"]

    def test_lines_of_standard_input_come_one_by_one_in_real_and_in_virtual_time(self):
        reads = self.module(input_request("name?\n"), input_request())
        for clock in ("real", "virtual"):
            result = gyre("run", reads, "--clock", clock, input="Ada\nLovelace\n")
            self.assertEqual(self.value(result), {"ok": True, "found": True, "value": "Lovelace", "code": 0,
                                                  "message": ""})
            self.assertTrue(result.stdout.startswith("name?\n"))
            self.assertFalse(self.value(gyre("run", reads, "--clock", clock, input=""))["found"])

    def test_a_module_that_waits_for_input_lets_its_time_limit_end_it(self):
        reading, writing = os.pipe()
        with os.fdopen(writing, "w"), os.fdopen(reading) as nothing:
            result = gyre("run", self.module(input_request()), "--time-limit", "100ms", stdin=nothing)
        self.assertEqual(result.returncode, 4, result.stderr)

    def test_variables_are_set_for_the_module_alone_where_they_are_permitted(self):
        key = {"key": "NAME", "value": "new"}
        both = self.module(("voyd.std.env", "set", True, key), ("voyd.std.env", "get", True, "NAME"))
        self.assertEqual(self.value(gyre("run", both, "--allow", "env=NAME")), "new")
        refused = self.value(gyre("run", self.module(("voyd.std.env", "set", True, key))))
        self.assertFalse(refused["ok"])
        self.assertIn("--allow env=NAME", refused["message"])

    def test_the_network_is_reached_where_it_is_permitted(self):
        if not program.has_http():
            self.skipTest("this build has no HTTP")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"127.0.0.1:{server.server_port}"
        asks = self.module(http_request(f"http://{place}/"))
        for allowed in (place, "127.0.0.1:*"):
            fetched = self.value(gyre("run", asks, "--allow", "net=" + allowed))
            self.assertTrue(fetched["ok"], fetched)
            self.assertEqual(fetched["value"]["status"], 200)
        refused = self.value(gyre("run", asks, "--allow", "net=127.0.0.1:1"))
        self.assertFalse(refused["ok"])
        self.assertIn("--allow net=" + place, refused["error_message"])

    def test_a_module_serves_requests(self):
        if not program.has_http():
            self.skipTest("this build has no HTTP")
        port = free_port()
        made = {"status": 201, "reason": "", "headers": [{"name": "x-made", "value": "here"}], "body": b"served"}
        serves = self.module((SERVER, "listen_raw", True, {"port": port}), (SERVER, "accept_raw", False, 1),
                             (SERVER, "respond_raw", True, {"request_id": 1, "response": made}))
        running = subprocess.Popen(
            [program.PROGRAM, "run", serves, "--allow", f"net=127.0.0.1:{port}"], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=program.environment())
        answer = None
        while answer is None and running.poll() is None:
            try:
                answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=300)
            except urllib.error.URLError:
                time.sleep(0.02)
        out, errors = running.communicate(timeout=300)
        self.assertIsNotNone(answer, out + errors)
        with answer:
            self.assertEqual((answer.status, answer.headers["x-made"], answer.read()), (201, "here", b"served"))
        self.assertEqual(running.returncode, 0, errors)
        self.assertTrue(json.loads(out)["value"]["ok"], out)

    def test_permissions_that_are_malformed_are_usage_errors(self):
        for allowed in ["net=127.0.0.1", "net=host:", "net=host:http", "tcp=x"]:
            result = gyre("run", self.module(input_request()), "--allow", allowed)
            self.assertEqual((result.returncode, result.stdout), (2, ""), allowed)


if __name__ == "__main__":
    program.take_program()
    unittest.main()
