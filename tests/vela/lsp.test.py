# SPDX-License-Identifier: Apache-2.0
"""gyre lsp over pipes, as an editor starts it. What the server answers is tested beside it; here: the
program, real files, the order of input and diagnostics, and its end."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GYRE = sys.argv.pop(1)


class Client:
    def __init__(self, folder):
        self.process = subprocess.Popen([GYRE, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.folder = folder
        self.last_id = 0
        self.notifications = []
        self.ask("initialize", {"rootUri": folder.as_uri(), "capabilities": {}})
        self.notify("initialized", {})

    def send(self, message):
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            name, value = line.split(b":")
            if name == b"Content-Length":
                length = int(value)
        message = json.loads(self.process.stdout.read(length))
        if "id" not in message:
            self.notifications.append(message)
        return message

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        while (message := self.receive()).get("id") != self.last_id:
            pass
        return message.get("result", message.get("error"))

    def open(self, name, text):
        uri = (self.folder / name).as_uri()
        self.notify("textDocument/didOpen",
                    {"textDocument": {"uri": uri, "languageId": "vela", "version": 1, "text": text}})
        return uri

    def diagnostics(self, uri):
        """The next ones that are published for a document."""
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                return message["params"]["diagnostics"]

    def end(self):
        self.ask("shutdown", None)
        self.notify("exit", None)
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


class LanguageServer(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()

    def test_an_editor_works_with_files_on_disk(self):
        (self.folder / "my lib.vela").write_text("# One.\nfn one() -> Number { 1 }\n")
        (self.folder / "other.vela").write_text("import './my lib.vela'\nfn two() -> Number { one() + 1 }\n")
        client = Client(self.folder)
        uri = client.open("main.vela", "import './my lib.vela'\nfn main() -> void { print(one() + x) }\n")
        self.assertEqual([d["code"] for d in client.diagnostics(uri)], ["E0307"])
        place = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 27}}
        hover = client.ask("textDocument/hover", place)["contents"]["value"]
        self.assertEqual(hover, "```vela\nfn one() -> Number\n```\n\nOne.")
        self.assertEqual(client.ask("textDocument/definition", place)["uri"],
                         (self.folder / "my lib.vela").as_uri())
        changes = client.ask("textDocument/rename", {**place, "newName": "first"})["changes"]
        self.assertEqual(sorted(len(edits) for edits in changes.values()), [1, 1, 1])
        end = {"line": 1, "character": 35}
        client.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": 2},
            "contentChanges": [{"range": {"start": {"line": 1, "character": 34}, "end": end}, "text": "2"}]})
        self.assertEqual(client.diagnostics(uri), [])
        self.assertEqual(client.end(), 0)

    def test_the_end_of_the_input_ends_it(self):
        client = Client(self.folder)
        client.process.stdin.close()
        self.assertEqual(client.process.stdout.read(), b"")
        client.process.stdout.close()
        self.assertEqual(client.process.wait(), 1)


if __name__ == "__main__":
    unittest.main()
