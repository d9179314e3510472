#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fetch against a server in Python, and gyre:http against a client in Python.

    http.test.py GYRE [ENGINE]
"""
import http.client
import http.server
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

GYRE = str(pathlib.Path(sys.argv[1]).resolve())
ENGINE = sys.argv[2] if len(sys.argv) > 2 else "v8"
FAILURES = []
SECONDS_MAX = 300  # of anything: a loaded machine takes its time


def check(name, got, expected):
    if got != expected:
        FAILURES.append(name)
        print(f"{name}:\n  got      {got!r}\n  expected {expected!r}")


class Peer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    gone = threading.Event()
    is_over = threading.Event()
    sent = 0

    def log_message(self, *_):
        pass

    def answer(self, status, body, **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def body(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def do_GET(self):  # pylint: disable=too-many-branches
        path = self.path.split("?")[0]
        body = self.body()
        if path == "/echo":
            text = f"{self.command} {self.path} {self.headers.get('X-A')} {self.headers.get('Authorization')} {self.headers.get('Content-Type')} ".encode()
            self.answer(200, text + body, Content_Type="text/x", X_B="1")
        elif path == "/json":
            self.answer(200, b'{"a":[1,2]}', Content_Type="application/json")
        elif path == "/none":
            self.answer(204, b"")
        elif path == "/missing":
            self.answer(404, b"no")
        elif re.fullmatch(r"/to/\d+/\d+", path):
            _, _, status, left = path.split("/")
            self.answer(int(status), b"", Location="/echo?q" if left == "1" else f"/to/{status}/{int(left) - 1}")
        elif path == "/away":
            self.answer(302, b"", Location=f"http://localhost:{self.server.server_port}/echo")
        elif path == "/slow":
            Peer.is_over.wait()
        elif path == "/stream":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                for i in range(20000):
                    data = (b"%05d" % i) + b"x" * 16379
                    self.wfile.write(b"%x\r\n" % len(data) + data + b"\r\n")
                    Peer.sent = i + 1
                self.wfile.write(b"0\r\n\r\n")
            except OSError:
                Peer.gone.set()
        elif path == "/cut":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"part")
            self.close_connection = True
        else:
            self.answer(500, b"unknown")

    do_POST = do_PUT = do_HEAD = do_GET


def run(text, *flags):
    with tempfile.NamedTemporaryFile("w", suffix=".mjs") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([GYRE, "run", "--engine", ENGINE, *flags, file.name], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    return done.stdout + done.stderr


def fetches(base):
    def case(name, text, expected, *flags):
        check(name, run(text.replace("BASE", base), *flags), expected)

    case("a GET", "const r = await fetch('BASE/echo?x=1', { headers: { 'X-A': 'b' } }); console.log(r.status, r.ok, r.url, r.headers.get('x-b'), r.redirected, await r.text(), r.bodyUsed);",
         f"200 true {base}/echo?x=1 1 false GET /echo?x=1 b None None  true\n")
    case("json", "console.log(await (await fetch('BASE/json')).json())", "{ a: [ 1, 2 ] }\n")
    case("a POST of text", "console.log(await (await fetch('BASE/echo', { method: 'post', body: 'é' })).text())", "POST /echo None None text/plain;charset=UTF-8 é\n")
    case("a body in pieces", "async function* made() { for (let i = 0; i < 3; i += 1) { await null; yield new Uint8Array([65 + i]); } } console.log(await (await fetch('BASE/echo', { method: 'PUT', body: ReadableStream.from(made()), duplex: 'half' })).text())",
         "PUT /echo None None None ABC\n")
    case("statuses", "for (const path of ['none', 'missing']) { const r = await fetch(`BASE/${path}`); console.log(r.status, r.ok, await r.text()); } const h = await fetch('BASE/echo', { method: 'HEAD' }); console.log(h.status, h.body)",
         "204 true \n404 false no\n200 null\n")
    case("redirects", "for (const status of [301, 302, 303, 307, 308]) { const r = await fetch(`BASE/to/${status}/2`, { method: 'POST', body: 'x' }); console.log(r.redirected, r.url, await r.text()); }",
         "".join(f"true {base}/echo?q {text}\n" for text in ["GET /echo?q None None None "] * 3 + ["POST /echo?q None None text/plain;charset=UTF-8 x"] * 2))
    case("redirects by hand", "const r = await fetch('BASE/to/302/1', { redirect: 'manual' }); console.log(r.status, r.headers.get('location')); await fetch('BASE/to/302/1', { redirect: 'error' }).catch((e) => console.log(e.message, e.cause.message)); await fetch('BASE/to/302/50').catch((e) => console.log(e.cause.message));",
         "302 /echo?q\nfetch failed unexpected redirect\nredirect count exceeded\n")
    case("secrets stay with their origin", "const r = await fetch('BASE/away', { headers: { authorization: 's', 'x-a': 'k' } }); console.log(await r.text()); console.log(await (await fetch('BASE/to/302/1', { headers: { authorization: 's' } })).text())",
         "GET /echo k None None \nGET /echo?q None s None \n")
    case("a refused connection", "await fetch('http://127.0.0.1:1/').catch((e) => console.log(e.name, e.message, e.cause.code, e.cause.message, e.cause.syscall, e.cause.port))", "TypeError fetch failed ECONNREFUSED connect ECONNREFUSED 127.0.0.1:1 connect 1\n")
    case("an unknown name", "await fetch('http://none.invalid/').catch((e) => console.log(e.message, e.cause.syscall, e.cause.hostname))", "fetch failed getaddrinfo none.invalid\n")
    case("a body that is cut off", "const r = await fetch('BASE/cut'); await r.text().catch((e) => console.log(e.name, e.message))", "TypeError terminated\n")
    case("abort before the head", "setTimeout(() => c.abort(), 50); const c = new AbortController(); await fetch('BASE/slow', { signal: c.signal }).catch((e) => console.log(e.name))", "AbortError\n")
    case("a time limit", "await fetch('BASE/slow', { signal: AbortSignal.timeout(50) }).catch((e) => console.log(e.name))", "TimeoutError\n")
    Peer.gone.clear()
    case("abort in the body", "const c = new AbortController(); const r = await fetch('BASE/stream', { signal: c.signal }); const reader = r.body.getReader(); await reader.read(); c.abort(); await reader.read().catch((e) => console.log(e.name))", "AbortError\n")
    check("the connection is closed by an abort", Peer.gone.wait(SECONDS_MAX), True)
    Peer.gone.clear()
    case("a body that is left", "for await (const part of (await fetch('BASE/stream')).body) { console.log(part.length > 0); break; }", "true\n")
    check("the connection is closed by a cancel", Peer.gone.wait(SECONDS_MAX), True)
    Peer.gone.clear()
    case("back-pressure", "const r = await fetch('BASE/stream'); const reader = r.body.getReader(); await reader.read(); await new Promise((done) => setTimeout(done, 500)); console.log('read one'); process.exit()", "read one\n")
    check("a body that nobody reads does not come in", Peer.sent < 2000, True)
    case("all of a large body", "let n = 0; for await (const part of (await fetch('BASE/stream')).body) n += part.length; console.log(n)", f"{20000 * 16384}\n")
    denied = "ERR_ACCESS_DENIED net\n"
    case("a sandbox", "await fetch('BASE/json').catch((e) => console.log(e.code, e.permission))", denied, "--sandbox")
    case("a permitted address", "console.log((await fetch('BASE/json')).status)", "200\n", "--allow", f"net={base[7:]}")
    case("another name of a permitted address", "await fetch('BASE/json'.replace('127.0.0.1', 'localhost')).catch((e) => console.log(e.code, e.permission))", denied, "--allow", f"net={base[7:]}")
    case("a redirect that leads out", "await fetch('BASE/away').catch((e) => console.log(e.code, e.permission))", denied, "--allow", f"net={base[7:]}")
    case("names", "import dns from 'node:dns'; import { lookup } from 'node:dns/promises'; console.log(await lookup('127.0.0.1'), await lookup('localhost', { family: 4, all: true })); dns.lookup('localhost', 4, (error, address, family) => console.log(error, address, family)); await lookup('none.invalid').catch((e) => console.log(e.syscall, e.hostname));",
         "{ address: '127.0.0.1', family: 4 } [ { address: '127.0.0.1', family: 4 } ]\nnull 127.0.0.1 4\ngetaddrinfo none.invalid\n")
    case("a sandbox asks for no name", "import { lookup } from 'node:dns/promises'; await lookup('none.invalid').catch((e) => console.log(e.code, e.permission))", denied, "--sandbox")
    case("a sandbox listens nowhere", "import { serve } from 'gyre:http'; try { serve({ port: 0 }, () => {}) } catch (e) { console.log(e.code, e.permission) }", denied, "--sandbox")


SERVER = """
import { serve } from 'gyre:http';
const stopping = {};
stopping.promise = new Promise((done) => { stopping.done = done; });
const server = serve({ port: 0 }, async (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === '/hello') return new Response('hello', { headers: { 'x-a': 'b', 'set-cookie': 'c' } });
  if (pathname === '/echo') return new Response(request.body, { status: 201, headers: { 'content-type': request.headers.get('content-type') } });
  if (pathname === '/text') return Response.json({ method: request.method, text: await request.text(), isRequest: request instanceof Request });
  if (pathname === '/throw') throw new Error('of the handler');
  if (pathname === '/nothing') return undefined;
  if (pathname === '/slow') { console.log('in flight'); await stopping.promise; return new Response('late'); }
  if (pathname === '/stream') {
    let i = 0;
    return new Response(new ReadableStream({
      pull(controller) { i += 1; console.error('pull', i); if (i > 20000) controller.close(); else controller.enqueue(new Uint8Array(16384)); },
      cancel(reason) { console.error('cancelled', reason.code); console.log('left'); },
    }, { highWaterMark: 0 }));
  }
  if (pathname === '/breaks') return new Response(new ReadableStream({ pull(controller) { if (this.once) throw new Error('broken'); this.once = true; controller.enqueue(new Uint8Array(5)); } }, { highWaterMark: 0 }));
  if (pathname === '/stop') { setTimeout(() => { server.stop(); setTimeout(stopping.done, 50); }, 50); return new Response('stopping'); }
  return new Response(null, { status: 404 });
});
await server.listening;
console.log(server.port);
await server.finished;
console.log('finished');
"""


VIRTUAL = """
import { serve } from 'gyre:http';
import fs from 'node:fs';
const began = performance.now();
const server = serve({ port: 8080, handlerTimeout: 120000 }, async (request) => {
  await new Promise((done) => setTimeout(done, 60000));
  return new Response(`a minute later: ${await request.text()}`);
});
await server.listening;
fs.mkdirSync('/data');
await fs.promises.writeFile('/data/x', 'simulated');
const answer = await fetch('http://127.0.0.1:8080/', { method: 'POST', body: 'hello' });
console.log(await answer.text(), Math.floor((performance.now() - began) / 1000), fs.readFileSync('/data/x', 'utf8'), fs.statSync('/data/x').size);
try { fs.writeFileSync('/none/x', ''); } catch (error) { console.log(error.message); }
await server.stop();
console.log(performance.now());
"""


def virtual():
    first = run(VIRTUAL, "--clock", "virtual", "--seed", "5")
    check("virtual time", first.split("\n")[:2], ["a minute later: hello 60 simulated 9", "ENOENT: no such file or directory, open '/none/x'"])
    check("a seed repeats a run", run(VIRTUAL, "--clock", "virtual", "--seed", "5"), first)


def ask(port, method, path, body=None, fields=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS_MAX)
    connection.request(method, path, body, fields or {})
    response = connection.getresponse()
    data = response.read()
    connection.close()
    return response.status, data, response


def serves():
    with tempfile.NamedTemporaryFile("w", suffix=".mjs") as file:
        file.write(SERVER)
        file.flush()
        with subprocess.Popen([GYRE, "run", "--engine", ENGINE, file.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            port = int(process.stdout.readline())
            status, data, response = ask(port, "GET", "/hello")
            check("hello", (status, data, response.getheader("x-a"), response.getheader("content-type"), response.getheader("content-length"), response.getheader("date") is not None),
                  (200, b"hello", "b", "text/plain;charset=UTF-8", "5", True))
            large = bytes(range(256)) * 4000
            status, data, response = ask(port, "POST", "/echo", large, {"Content-Type": "a/b"})
            check("an echo in pieces", (status, data == large, response.getheader("content-type"), response.getheader("transfer-encoding")), (201, True, "a/b", "chunked"))
            check("a chunked upload", ask(port, "POST", "/text", iter([b"a", b"bc"]))[:2], (200, b'{"method":"POST","text":"abc","isRequest":true}'))
            check("no body", ask(port, "GET", "/text")[1], b'{"method":"GET","text":"","isRequest":true}')
            check("not found", ask(port, "GET", "/none")[0], 404)
            check("a handler that throws", ask(port, "GET", "/throw")[:2], (500, b"Internal Server Error"))
            check("a handler without a response", ask(port, "GET", "/nothing")[0], 500)
            check("the same connection twice", twice(port), [b"hello", b"hello"])
            try:
                ask(port, "GET", "/breaks")
                check("a stream that breaks", "a whole response", "a broken one")
            except (http.client.IncompleteRead, ConnectionError):
                pass
            leave_stream(port)
            check("the stream is told of it", process.stdout.readline(), "left\n")
            # A stop: the slow request is answered, new connections are not.
            late = []
            slow = threading.Thread(target=lambda: late.append(ask(port, "GET", "/slow")[1]))
            slow.start()
            check("a slow request", process.stdout.readline(), "in flight\n")
            ask(port, "GET", "/stop")
            slow.join()
            check("a request in flight is answered", late, [b"late"])
            out, err = process.communicate(timeout=SECONDS_MAX)
            check("the end of a stop", (out, process.returncode), ("finished\n", 0))
            check("errors of handlers are told", "of the handler" in err, True)
            pulls = len(re.findall(r"^pull", err, re.MULTILINE))
            check("a client that reads nothing stops the stream", pulls < 4000, True)
            check("a client that goes cancels the stream", "cancelled ECONNRESET" in err, True)


def twice(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS_MAX)
    made = []
    for _ in range(2):
        connection.request("GET", "/hello")
        made.append(connection.getresponse().read())
    connection.close()
    return made


def leave_stream(port):
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    client.recv(100)
    time.sleep(0.5)  # A stream without back-pressure would go on meanwhile.
    client.close()


def main():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Peer) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        fetches(f"http://127.0.0.1:{server.server_port}")
        serves()
        virtual()
        Peer.is_over.set()
        server.shutdown()
    print(f"{len(FAILURES)} failures")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
