# SPDX-License-Identifier: Apache-2.0
"""A wrong command line or input: one line that says what to do, and status 2.

    usage.test.py PROGRAM"""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

import program
from program import gyre

# The whole text of standard error for each command line.
WRONG = {
    "": "gyre: a command is required: gyre --help lists them",
    "doctr": "gyre: there is no command 'doctr': did you mean doctor?",
    "dance": "gyre: there is no command 'dance': gyre --help lists them",
    "tuor --seed 3": "gyre: there is no command 'tuor': did you mean tour?",
    "--hlp": "gyre: unknown flag --hlp: did you mean --help?",
    "--zzzzzzzz": "gyre: unknown flag --zzzzzzzz: gyre --help lists them",
    "tour --sed 3": "gyre tour: unknown flag --sed: did you mean --seed?",
    "tour --sed=3": "gyre tour: unknown flag --sed: did you mean --seed?",
    "tour --zzzzzzzz": "gyre tour: unknown flag --zzzzzzzz: gyre tour --help lists them",
    "tour --seed x": "gyre tour: --seed: 'x' is not a number from 0 to 18446744073709551615",
    "tour --seed": "gyre tour: --seed: 1 required N missing: gyre tour --help shows the arguments",
    "tour --platform abacus": "gyre tour: --platform: 'abacus' is none of epoll, uring",
    "conform dance": "gyre conform: TOPIC: 'dance' is none of kernel, loop, jobs, effects",
    "version x": "gyre version: unexpected argument 'x': gyre version --help shows the arguments",
    "fmt": "gyre fmt: FILE is required: gyre fmt --help shows the arguments",
    "man dance": "gyre man: there is no command 'dance': gyre --help lists them",
    "completions": "gyre completions: SHELL is required: gyre completions --help shows the arguments",
    "completions csh": "gyre completions: SHELL: 'csh' is none of bash, zsh, fish",
}
WRONG_HTTP = {
    "serve --prot 1": "gyre serve: unknown flag --prot: did you mean --port?",
    "serve --port 65536": "gyre serve: --port: '65536' is not a number from 0 to 65535",
    "serve --port -1": "gyre serve: --port: '-1' is not a number from 0 to 65535",
    "serve --threads 1000000": "gyre serve: --threads: '1000000' is not a number from 1 to 1024",
    "serve --threads 0": "gyre serve: --threads: '0' is not a number from 1 to 1024",
    "serve --port 0 nowhere": "gyre serve: cannot serve 'nowhere': No such file or directory: name a folder that you can read",
    "serve --port 0 file": "gyre serve: cannot serve 'file': Not a directory: name a folder that you can read",
    "serve --tls-compat": "gyre serve: --tls-compat requires --tls: gyre serve --help shows the arguments",
    "serve --clients file": "gyre serve: --clients requires --tls: gyre serve --help shows the arguments",
    "fetch": "gyre fetch: URL is required: gyre fetch --help shows the arguments",
    "fetch htp://x": "gyre fetch: cannot fetch 'htp://x': an address begins with http:// or https://: give an address like http://example.org/path",
    "fetch http://": "gyre fetch: cannot fetch 'http://': the host is malformed: give an address like http://example.org/path",
    "fetch x:99999": "gyre fetch: cannot fetch 'x:99999': the port is no number from 1 to 65535: give an address like http://example.org/path",
    "fetch --timeout -1 x": "gyre fetch: --timeout: '-1' is not a number of seconds above 0, such as 2.5",
    "fetch --timeout nan x": "gyre fetch: --timeout: 'nan' is not a number of seconds above 0, such as 2.5",
    "fetch --field a x": "gyre fetch: --field 'a' has no colon: write 'Name: value'",
    "fetch --resume x": "gyre fetch: --resume requires --output: gyre fetch --help shows the arguments",
}


class Usage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(os.path.join(self.folder.name, "file"), "w", encoding="utf-8"):
            pass

    def check(self, line, said, **options):
        result = gyre(*line.split(), cwd=self.folder.name, **options)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (2, "", said + "\n"), line)

    def test_what_is_wrong_is_one_line_that_says_what_to_do(self):
        for line, said in WRONG.items():
            self.check(line, said)

    def test_of_serve_and_fetch_too(self):
        if not program.has_http():
            self.skipTest("this build has no HTTP")
        for line, said in WRONG_HTTP.items():
            self.check(line, said)

    def test_no_line_speaks_of_tasks_or_source_files(self):
        for said in [*WRONG.values(), *WRONG_HTTP.values()]:
            self.assertIsNone(re.search(r"\btask\b|\.[ch]pp\b", said), said)

    def test_a_folder_that_may_not_be_read(self):
        if not program.has_http():
            self.skipTest("this build has no HTTP")
        closed = os.path.join(self.folder.name, "closed")
        os.mkdir(closed, 0o000)
        said = "gyre serve: cannot serve 'closed': Permission denied: name a folder that you can read"
        if os.geteuid() != 0:
            self.check("serve --port 0 closed", said)
            return
        # Root may read everything: another user runs a copy that it can reach.
        os.chmod(self.folder.name, 0o755)
        copy = shutil.copy(program.PROGRAM, self.folder.name)
        os.chmod(copy, 0o755)
        result = subprocess.run(
            [copy, "serve", "--port", "0", "closed"],
            cwd=self.folder.name, user=65534, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        self.assertEqual((result.returncode, result.stderr), (2, said + "\n"))


class Port(unittest.TestCase):
    def setUp(self):
        if not program.has_http():
            self.skipTest("this build has no HTTP")

    def serve(self, *arguments):
        server = subprocess.Popen(
            [program.PROGRAM, "serve", "--quiet", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=program.environment(),
        )  # fmt: skip
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        return server, int(server.stdout.readline().rsplit(":", 1)[1])

    def test_that_another_gyre_serves_is_refused_with_the_next_one(self):
        for count in ("1", "2"):
            _, port = self.serve("--port", "0", "--threads", count)
            for other_count in ("1", "2"):
                second = gyre("serve", "--port", str(port), "--threads", other_count)
                next_port = port + 1 if port < 65535 else 0
                said = f"gyre serve: port {port} is in use: try --port {next_port}\n"
                self.assertEqual((second.returncode, second.stdout, second.stderr), (2, "", said))

    def test_that_any_program_has_is_refused(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            second = gyre("serve", "--port", str(port))
            self.assertEqual(second.returncode, 2)
            self.assertIn(f"port {port} is in use: try --port ", second.stderr)

    def test_is_free_again_when_its_server_has_stopped(self):
        first, port = self.serve("--port", "0", "--threads", "2")
        first.terminate()
        self.assertEqual(first.wait(timeout=300), 0)
        self.assertEqual(self.serve("--port", str(port), "--threads", "2")[1], port)


if __name__ == "__main__":
    program.take_program()
    unittest.main()
