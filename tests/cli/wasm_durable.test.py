# SPDX-License-Identifier: Apache-2.0
"""gyre run --store: a module whose run goes on in another process after the first one was killed.

    wasm_durable.test.py PROGRAM"""

import http.server
import json
import subprocess
import tempfile
import threading
import unittest

import program
from effect_module import effect_module
from program import gyre


class Counted(http.server.BaseHTTPRequestHandler):
    """Answers with the path; a path that a test wants to hold is told of, and never answered."""

    def do_GET(self):
        self.server.seen.append(self.path)
        if self.path == self.server.held:
            self.server.is_held.set()
            self.server.is_over.wait(120)
            return
        body = self.path.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments):
        pass


class Durable(unittest.TestCase):
    def setUp(self):
        if not program.has_wasm() or not program.has_http():
            self.skipTest("this build has no WebAssembly engine, or no HTTP")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.store = f"sqlite:{self.folder.name}/runs.db"
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Counted)
        self.server.seen, self.server.held = [], None
        self.server.is_held, self.server.is_over = threading.Event(), threading.Event()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(self.server.is_over.set)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.module = f"{self.folder.name}/module.wat"
        with open(self.module, "w", encoding="utf-8") as file:
            file.write(effect_module(*(self.request(path) for path in ("/one", "/two", "/three"))))

    def request(self, path):
        url = f"http://127.0.0.1:{self.server.server_port}{path}"
        return ("voyd.std.http.client", "request", True,
                {"method": "GET", "url": url, "headers": [], "body": b"",
                 "redirect_policy": {"kind": "follow", "max_redirects": 20}})

    def words(self, *more):
        return ["run", self.module, "--allow", "net=127.0.0.1:*", "--store", self.store, "--lease", "300ms", *more]

    def expect_done(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        outcome = json.loads(done.stdout)
        self.assertTrue(outcome["value"]["ok"], outcome)
        self.assertEqual(outcome["value"]["value"]["status"], 200)

    def start(self, *more):
        return subprocess.Popen([program.PROGRAM, *self.words(*more)], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=program.environment())

    def test_a_run_that_was_killed_goes_on_without_asking_again(self):
        self.server.held = "/two"
        with self.start("--key", "a") as first:
            self.assertTrue(self.server.is_held.wait(120))
            first.kill()
            first.communicate(timeout=120)
        self.server.held = None
        self.expect_done(gyre(*self.words("--key", "a")))
        self.assertEqual(self.server.seen, ["/one", "/two", "/two", "/three"])
        # It has ended: its outcome is in the store.
        self.expect_done(gyre(*self.words("--key", "a")))
        self.assertEqual(len(self.server.seen), 4)
        history = gyre("runs", "show", "a", "--store", self.store).stdout
        self.assertIn("a: done", history)
        self.assertEqual(history.count("voyd.std.http.client::request"), 3, history)

    def test_a_process_without_a_key_works_for_the_runs_of_others(self):
        self.assertEqual(gyre("runs", "start", "b", "main", "--store", self.store).returncode, 0)
        self.server.held = "/three"
        with self.start() as working:
            self.assertTrue(self.server.is_held.wait(120))
            working.terminate()
            _out, errors = working.communicate(timeout=120)
        self.assertIn("works for the queue default", errors)
        self.server.held = None
        self.expect_done(gyre(*self.words("--key", "b")))
        self.assertEqual(self.server.seen, ["/one", "/two", "/three", "/three"])

    def test_handlers_in_javascript_are_not_asked_again(self):
        if "no JavaScript engine" in gyre("run", "-e", "1").stderr:
            self.skipTest("this build has no JavaScript engine")
        module = f"{self.folder.name}/asks.wat"
        with open(module, "w", encoding="utf-8") as file:
            file.write(effect_module(*(("test.shop", "buy", False, number) for number in (1, 2, 3))))
        handlers = f"{self.folder.name}/handlers.mjs"
        with open(handlers, "w", encoding="utf-8") as file:
            file.write("""export default { 'test.shop': { buy: async (number) => {
                const answer = await fetch(`http://127.0.0.1:%d/${number}`);
                return await answer.text();
            } } };""" % self.server.server_port)
        words = ["run", module, "--handlers", handlers, "--store", self.store, "--lease", "300ms", "--key", "js"]
        self.server.held = "/2"
        with subprocess.Popen([program.PROGRAM, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=program.environment()) as first:
            self.assertTrue(self.server.is_held.wait(120))
            first.kill()
            first.communicate(timeout=120)
        self.server.held = None
        for _again in range(2):
            done = gyre(*words)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(json.loads(done.stdout)["value"], "/3")
        self.assertEqual(self.server.seen, ["/1", "/2", "/2", "/3"])

    def test_what_has_no_meaning_with_a_store_is_refused(self):
        for more in (("--journal", "j"), ("--runs", "2"), ("--time-limit", "1s"), ("--clock", "virtual")):
            self.assertEqual(gyre(*self.words("--key", "a", *more)).returncode, 2, more)
        self.assertEqual(gyre("run", self.module, "--key", "a").returncode, 2)
        self.assertEqual(gyre("run", "-e", "1", "--store", self.store).returncode, 2)


if __name__ == "__main__":
    program.take_program()
    unittest.main()
