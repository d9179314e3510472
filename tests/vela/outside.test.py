# SPDX-License-Identifier: Apache-2.0
"""What Vela programs reach outside of themselves: the sandbox and its permissions, HTTP with streams and TLS, watched
files, and the typed errors of all of them.

    outside.test.py PROGRAM"""

import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.path.abspath(sys.argv.pop(1))


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Programs(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = os.path.realpath(holder.name)
        for name in ("inside", "outside"):
            os.mkdir(self.path(name))
        Path(self.path("inside/a.txt")).write_text("alpha")
        Path(self.path("outside/secret.txt")).write_text("secret")

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_text(self, text, *options, **environment):
        Path(self.path("a.vela")).write_text(text)
        return subprocess.run([PROGRAM, "run", *options, "a.vela"], cwd=self.folder, timeout=300, capture_output=True,
                              text=True, check=False, env={**os.environ, **environment})


# Prints the value of a call of system:fs, or the reason of its error.
TRY = """
import 'system:fs'
async fn tell(what: Future<String>) -> void {
  try { print(await what) } catch (e: IoError) { print("refused ${e.path}: ${e.reason}") }
}
"""


class Sandbox(Programs):
    def attempts(self, *lines, allow=("fs=inside",)):
        body = "".join(f"  {line}\n" for line in lines)
        options = [word for one in allow for word in ("--allow", one)]
        result = self.run_text(TRY + "async fn main() -> void {\n" + body + "}\n", "--sandbox", *options)
        self.assertEqual((result.stderr, result.returncode), ("", 0))
        return result.stdout.splitlines()

    def test_reaches_nothing_without_a_permission(self):
        lines = self.attempts('await tell(readText("inside/a.txt"))', f'await tell(readText("{self.path("inside/a.txt")}"))',
                              allow=())
        for line in lines:
            self.assertIn("is not permitted: --allow fs=DIR permits a folder", line)
        self.assertEqual(len(lines), 2)

    def test_reads_and_writes_inside(self):
        lines = self.attempts('await tell(readText("a.txt"))', 'await writeText("b.txt", "beta")',
                              'await tell(readText("./b.txt"))', f'await tell(readText("{self.path("inside/b.txt")}"))',
                              'await makeDir("c")', 'print(await list("."))', 'await remove("b.txt")',
                              'print(await exists("b.txt"))', 'await tell(readText("c/../a.txt"))')
        self.assertEqual(lines, ["alpha", "beta", "beta", '["a.txt", "b.txt", "c"]', "false", "alpha"])
        self.assertFalse(os.path.exists(self.path("inside/b.txt")))

    def test_is_not_left_by_dots_or_absolute_paths(self):
        tried = ["../outside/secret.txt", "./../outside/secret.txt", "c/../../outside/secret.txt", "..",
                 self.path("outside/secret.txt"), self.path("inside/../outside/secret.txt"), "/etc/passwd",
                 self.path("inside") + "out/x", "//etc/passwd", "a.txt/../../outside/secret.txt"]
        lines = self.attempts(*[f'await tell(readText("{one}"))' for one in tried])
        self.assertEqual(len(lines), len(tried))
        for line in lines:
            self.assertIn("is not permitted", line)

    def test_is_not_left_by_links(self):
        os.symlink(self.path("outside"), self.path("inside/folder"))
        os.symlink(self.path("outside/secret.txt"), self.path("inside/file"))
        os.symlink("../outside/new.txt", self.path("inside/dangling"))
        os.symlink("folder", self.path("inside/twice"))
        os.symlink("a.txt", self.path("inside/fine"))
        lines = self.attempts(
            'await tell(readText("folder/secret.txt"))', 'await tell(readText("file"))',
            'await tell(readText("twice/secret.txt"))',
            'try { await writeText("dangling", "x") } catch (e: IoError) { print(e.reason) }',
            'try { await writeText("folder/new.txt", "x") } catch (e: IoError) { print(e.reason) }',
            'try { await append("file", "x") } catch (e: IoError) { print(e.reason) }',
            'try { print(await list("folder")) } catch (e: IoError) { print(e.reason) }',
            'try { print(await exists("file")) } catch (e: IoError) { print(e.reason) }',
            'try { await remove("folder/secret.txt") } catch (e: IoError) { print(e.reason) }',
            'try { await makeDir("folder/new") } catch (e: IoError) { print(e.reason) }',
            'await tell(readText("fine"))')
        self.assertEqual(len(lines), 11)
        for line in lines[:-1]:
            self.assertIn("leads out of the permitted folder", line)
        self.assertEqual(lines[-1], "alpha")
        self.assertEqual(os.listdir(self.path("outside")), ["secret.txt"])
        self.assertEqual(Path(self.path("outside/secret.txt")).read_text(), "secret")

    def test_a_circle_of_links_ends(self):
        os.symlink("b", self.path("inside/c"))
        os.symlink("c", self.path("inside/b"))
        self.assertIn("refused b", self.attempts('await tell(readText("b"))')[0])

    def test_of_variables_names_the_permission(self):
        text = """
import 'system:process'
fn main() -> void {
  print(env("SEEN"))
  try { print(env("UNSEEN")) } catch (e: Error) { print(e.message) }
}
"""
        result = self.run_text(text, "--allow", "env=SEEN", SEEN="yes", UNSEEN="no")
        self.assertEqual(result.stdout, 'Some("yes")\nthe environment variable UNSEEN is not permitted: '
                         "--allow env=UNSEEN\n")

    def test_of_programs_starts_none(self):
        text = """
import 'system:process' show { run }
async fn main() -> void {
  try { print((await run("true", [])).status) } catch (e: IoError) { print(e.reason) }
}
"""
        self.assertEqual(self.run_text(text).stdout, "0\n")
        self.assertIn("a sandbox starts no programs", self.run_text(text, "--sandbox").stdout)

    def test_of_the_network_checks_each_place(self):
        text = """
import 'system:net'
async fn main() -> void {
  listener = await listen("127.0.0.1:0")
  try { await connect("127.0.0.1:${listener.port}") } catch (e: NetworkError) { print(e.message.contains("--allow net=127.0.0.1:")) }
  try { await connect("localhost:1") } catch (e: NetworkError) { print(e.message) }
  try { await listen("0.0.0.0:0") } catch (e: NetworkError) { print(e.message) }
  try { HttpServer::new("127.0.0.1:9") } catch (e: NetworkError) { print(e.message) }
  try { await httpClient.get("http://127.0.0.1:9/") } catch (e: NetworkError) { print(e.message) }
  print(HttpServer::new("127.0.0.1:0").port > 0)
}
"""
        result = self.run_text(text, "--sandbox", "--allow", "net=127.0.0.1:0")
        self.assertEqual(result.stdout, "true\nlocalhost:1 is not permitted: --allow net=localhost:1\n"
                         "0.0.0.0:0 is not permitted: --allow net=0.0.0.0:0\n"
                         "127.0.0.1:9 is not permitted: --allow net=127.0.0.1:9\n"
                         "127.0.0.1:9 is not permitted: --allow net=127.0.0.1:9\ntrue\n", result.stderr)

    def test_of_every_port_of_a_host_opens_no_other_host(self):
        text = """
import 'system:net'
async fn main() -> void {
  listener = await listen("127.0.0.1:0")
  (await connect("127.0.0.1:${listener.port}")).close()
  print(HttpServer::new("127.0.0.1:0").port > 0)
  try { await connect("127.0.0.2:${listener.port}") } catch (e: NetworkError) { print(e.message.contains("is not permitted")) }
  try { await connect("localhost:1") } catch (e: NetworkError) { print(e.message) }
}
"""
        result = self.run_text(text, "--allow", "net=127.0.0.1:*")
        self.assertEqual(result.stdout, "true\ntrue\nlocalhost:1 is not permitted: --allow net=localhost:1\n", result.stderr)

    def test_of_the_network_holds_for_redirects(self):
        text = """
async fn main() -> void {
  target = HttpServer::new("127.0.0.1:TARGET")
  target.onRequest(req => Response.text("reached"))
  spawn(target.listen())
  first = HttpServer::new("localhost:FIRST")
  first.onRequest(req => {
    away = Response.status(302, "")
    away.headers.set("location", "http://127.0.0.1:${target.port}/")
    return away
  })
  spawn(first.listen())
  try { print((await httpClient.get("http://localhost:${first.port}/")).body) }
  catch (e: NetworkError) { print(e.message.contains("is not permitted: --allow net=127.0.0.1:")) }
  first.close()
  target.close()
}
"""
        first, target = free_ports(2)
        text = text.replace("TARGET", str(target)).replace("FIRST", str(first))
        both = ["--allow", f"net=localhost:{first}", "--allow", f"net=127.0.0.1:{target}"]
        self.assertEqual(self.run_text(text, *both).stdout, "reached\n")
        # The target listens on another name of the same address: to connect there is not permitted.
        text = text.replace(f'::new("127.0.0.1:{target}")', f'::new("localhost:{target}")')
        result = self.run_text(text, *both[:2], "--allow", f"net=localhost:{target}")
        self.assertEqual(result.stdout, "true\n", result.stderr)

    def test_refuses_other_words(self):
        for word in ("fs", "fs=", "net=host", "net=:80", "net=host:port", "net=host:*0", "net=:*", "disk=/", "env="):
            with self.subTest(word=word):
                result = self.run_text("fn main() -> void { }\n", "--allow", word)
                self.assertEqual(result.returncode, 2)
                self.assertIn("give fs=DIR, net=HOST:PORT or env=NAME", result.stderr)


class Http(Programs):
    def test_streams_in_both_directions(self):
        result = self.run_text("""
async fn numbers(count: Number) -> AsyncIterator<String> {
  for i in 0..count {
    await sleep(1)
    yield "line ${i}\\n"
  }
}
async fn main() -> void {
  server = HttpServer::new("127.0.0.1:0")
  server.onRequest(req => Response.stream(numbers(5), "text/csv"))
  spawn(server.listen())
  response = await httpClient.open("http://127.0.0.1:${server.port}/")
  print(response.status)
  print(response.headers.get("content-type"))
  text = ""
  for await piece in response.pieces { text = text + piece }
  print(text.trim())
  whole = await httpClient.get("http://127.0.0.1:${server.port}/")
  print(whole.body.lines().length)
  server.close()
}
""")
        self.assertEqual(result.stdout, '200\nSome("text/csv")\nline 0\nline 1\nline 2\nline 3\nline 4\n5\n', result.stderr)

    def test_is_encrypted_with_a_certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", self.path("key.pem"), "-out", self.path("cert.pem"), "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True,
                       capture_output=True)
        result = self.run_text("""
import 'system:fs'
async fn main() -> void {
  certificate = await readText("cert.pem")
  server = HttpServer::new("127.0.0.1:0")
  server.secure(certificate, await readText("key.pem"))
  server.onRequest(req => Response.text("hello ${req.path}"))
  spawn(server.listen())
  client = HttpClient::new()
  client.trust(certificate)
  print((await client.get("https://localhost:${server.port}/you")).body)
  try { await httpClient.get("https://localhost:${server.port}/") } catch (e: NetworkError) { print("not trusted") }
  try { server.secure("no", "pem") } catch (e: NetworkError) { print("no certificate") }
  server.close()
}
""")
        self.assertEqual(result.stdout, "hello /you\nnot trusted\nno certificate\n", result.stderr)


class Files(Programs):
    def test_are_watched(self):
        result = self.run_text("""
import 'system:fs'
async fn change() -> void {
  while true {
    await sleep(20)
    await writeText("inside/new.txt", "x")
  }
}
async fn main() -> void {
  changing = spawn(change())
  for await path in watch("inside") {
    print(path)
    break
  }
  changing.cancel()
  try { await changing } catch (e: CancelledError) { }
  try { for await path in watch("missing") { } } catch (e: IoError) { print("refused ${e.path}") }
}
""")
        self.assertEqual(result.stdout, "inside/new.txt\nrefused missing\n", result.stderr)

    def test_and_other_errors_are_typed(self):
        result = self.run_text("""
import 'system:fs'
import 'system:net'
import 'system:process' show { run }
async fn kind(what: Future<String>) -> String {
  try { return await what } catch (e: IoError) { return "IoError ${e.path}" } catch (e: NetworkError) { return "NetworkError" }
}
async fn main() -> void {
  print(await kind(readText("missing.txt")))
  print(await kind(readText("inside")))
  print(await kind(list("inside/a.txt").map(l => "")))
  print(await kind(connect("127.0.0.1:1").map(c => "")))
  print(await kind(run("no-such-program", []).map(o => "")))
  print(await kind(httpClient.get("http://127.0.0.1:1/").map(r => "")))
  print(await kind(httpClient.get("not a url").map(r => "")))
  match json.decode("{ not json") {
    Ok(v) => print(v)
    Err(e) => print("ParseError")
  }
  try { await connect("nowhere") } catch (e: NetworkError) { print(e.message) }
}
""")
        self.assertEqual(result.stdout, "IoError missing.txt\nIoError inside\nIoError inside/a.txt\nNetworkError\n"
                         "IoError no-such-program\nNetworkError\nNetworkError\nParseError\n"
                         'not an address: "nowhere"\n', result.stderr)


if __name__ == "__main__":
    unittest.main()
