#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other projects' tests of what a script sees, on gyre and on the installed Node.

    outside.py GYRE test262 FOLDER [PATH...]   tests of tc39/test262, below FOLDER/test; PATH: those that contain it
    outside.py GYRE wpt FOLDER [PATH...]       *.any.js of web-platform-tests, each subtest counted

FOLDER is a checkout that the caller brought; nothing of it is part of gyre. A test that Node fails too is dropped, so
what is counted is a difference; Node runs only what gyre fails. Prints each failure with its first line, and the count.
Node's own tests have a list and a tool of their own (tools/node_tests).
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SECONDS = 60
WORKERS = 2
# What V8 10.2, of 2022, and Node 20 do not have.
TOO_NEW = ("explicit-resource-management", "Array.fromAsync", "promise-try", "await-dictionary", "import-defer",
           "source-phase-imports", "iterator-helpers", "joint-iteration", "decorators", "Temporal", "promise-with-resolvers",
           "regexp-duplicate-named-groups", "import-attributes")

TEST262_HOST = """
const vm = require('vm');
globalThis.print = (...values) => console.log(...values);
globalThis.$262 = {
  global: globalThis,
  evalScript: (text) => vm.runInThisContext(text),
  detachArrayBuffer: (buffer) => { structuredClone(buffer, { transfer: [buffer] }); },
  createRealm() {
    const context = vm.createContext({});
    const global = vm.runInContext('globalThis', context);
    return { global, evalScript: (text) => vm.runInContext(text, context) };
  },
  agent: {},
};
vm.runInThisContext(require('fs').readFileSync(process.argv[2], 'utf8'), { filename: process.argv[3] });
"""
WPT_HOST = """
const fs = require('fs'), path = require('path'), vm = require('vm');
const [, , folder, test] = process.argv;
globalThis.self = globalThis;
globalThis.GLOBAL = { isWindow: () => false, isWorker: () => false, isShadowRealm: () => false };
globalThis.location ??= { search: '', href: 'http://localhost/' };
globalThis.fetch_json ??= undefined;
const load = (file) => vm.runInThisContext(fs.readFileSync(file, 'utf8'), { filename: file });
load(path.join(folder, 'resources/testharness.js'));
let failed = 0, passed = 0;
add_result_callback((result) => {
  if (result.status === 0) passed++; else { failed++; console.log('FAIL ' + result.name + ': ' + result.message); }
});
add_completion_callback((_tests, status) => {
  if (status.status !== 0) { failed++; console.log('FAIL harness: ' + status.message); }
  console.log('SUBTESTS ' + passed + ' ' + failed);
});
const text = fs.readFileSync(test, 'utf8');
for (const [, name] of text.matchAll(/^\\/\\/ META: script=(.+)$/gm)) {
  load(name.startsWith('/') ? path.join(folder, name) : path.join(path.dirname(test), name));
}
load(test);
"""


def run(command):
    """Exit status and what was printed; a test that hangs has status -1."""
    with tempfile.TemporaryFile("w+") as output:
        try:
            status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                    timeout=SECONDS, check=False).returncode
        except subprocess.TimeoutExpired:
            status = -1
        output.seek(0)
        return status, output.read()


class Test262:
    def __init__(self, folder, scratch):
        self.folder, self.scratch = folder, scratch
        self.host = scratch / "host.cjs"
        self.host.write_text(TEST262_HOST)

    def tests(self):
        for file in sorted((self.folder / "test").rglob("*.js")):
            text = file.read_text()
            head = text[text.find("/*---"):text.find("---*/")]
            is_module = re.search(r"flags:.*\bmodule\b", head)
            # Modules need the harness in the global object of the module's own context.
            if "_FIXTURE" not in file.name and not is_module and not any(name in head for name in TOO_NEW):
                yield file

    def judge(self, engine, file):
        text = file.read_text()
        head = text[text.find("/*---"):text.find("---*/")]
        flags = re.search(r"flags:\s*\[(.*?)\]", head, re.S)
        flags = flags.group(1) if flags else ""
        listed = re.search(r"includes:\s*\[(.*?)\]", head, re.S)
        names = re.split(r"[,\s]+", listed.group(1).strip()) if listed else re.findall(r"^\s+- (\S+\.js)$", head, re.M)
        if "raw" not in flags:
            names = ["assert.js", "sta.js", *(["doneprintHandle.js"] if "async" in flags else []), *names]
            text = "".join((self.folder / "harness" / name).read_text() + "\n" for name in names) + text
        if "onlyStrict" in flags:
            text = '"use strict";\n' + text
        made = self.scratch / (str(file.relative_to(self.folder)).replace("/", "-"))
        made.write_text(text)
        status, said = run([*engine, self.host, made, file])
        made.unlink(missing_ok=True)
        wanted = re.search(r"negative:\s*\n\s*phase: \w+\s*\n\s*type: (\w+)", head)
        if wanted:
            return 1, 0 if status != 0 and wanted.group(1) in said else 1, said
        is_passed = status == 0 and ("async" not in flags or "Test262:AsyncTestComplete" in said)
        return 1, 0 if is_passed else 1, said


class Wpt:
    def __init__(self, folder, scratch):
        self.folder = folder
        self.host = scratch / "host.cjs"
        self.host.write_text(WPT_HOST)

    def tests(self):
        return sorted(self.folder.rglob("*.any.js"))

    def judge(self, engine, file):
        status, said = run([*engine, self.host, self.folder, file])
        counts = re.search(r"^SUBTESTS (\d+) (\d+)$", said, re.M)
        if not counts:
            return 1, 1, said or f"ended with {status} and no word"
        passed, failed = map(int, counts.groups())
        return passed + failed, failed, said


def first_line(said):
    lines = [line.strip() for line in said.splitlines() if re.search(r"Error|FAIL|error|not ", line)]
    return (lines or said.strip().splitlines() or ["nothing was printed"])[0][:160]


def main():
    if len(sys.argv) < 4:
        print(__doc__)
        return 2
    gyre, suite_name, folder, paths = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve(), sys.argv[4:]
    ours, node = [os.path.abspath(gyre), "run"], [shutil.which("node")]
    with tempfile.TemporaryDirectory() as scratch:
        suite = {"test262": Test262, "wpt": Wpt}[suite_name](folder, pathlib.Path(scratch))
        tests = [file for file in suite.tests() if not paths or any(path in str(file) for path in paths)]

        def compare(file):
            count, failed, said = suite.judge(ours, file)
            if failed == 0:
                return count, 0, 0, None
            _, node_failed, _ = suite.judge(node, file)
            dropped = min(failed, node_failed)
            line = f"{file.relative_to(folder)}: {failed} failed, {node_failed} on Node: {first_line(said)}"
            return count - dropped, failed - dropped, dropped, line if failed > dropped else None

        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            rows = list(pool.map(compare, tests))
    for row in rows:
        if row[3]:
            print(row[3])
    count, failed, dropped = (sum(row[i] for row in rows) for i in range(3))
    print(f"{suite_name}: {count - failed} of {count} as on Node, in {len(tests)} files; {dropped} that Node fails too dropped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
