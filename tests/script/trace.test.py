#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gyre run --trace shows the jobs of a script, with the ops that caused them.

    trace.test.py GYRE ENGINE
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TEXT = """setTimeout(function onTimer() {
  process.nextTick(function onTick() {});
  setImmediate(function onImmediate() {});
}, 2);
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "app.js")
        program.write_text(TEXT)
        trace = pathlib.Path(folder, "trace.json")
        subprocess.run([sys.argv[1], "run", "--engine", sys.argv[2], "--trace", trace, program], check=True, timeout=300)
        events = json.loads(trace.read_text())["traceEvents"]
    jobs = {re.sub(r":\d+\)$", ")", event["name"]): event["args"] for event in events if event.get("cat") == "task"}
    ops = {f"op {event['args']['op']}" for event in events if event["ph"] == "s"}
    failures = [name for name in ("timer onTimer (app.js:1)", "tick onTick (app.js:2)", "immediate onImmediate (app.js:3)")
                if jobs.get(name, {}).get("waited_for") not in ops]
    if "the main script" not in jobs or failures:
        print(f"without their ops: {failures}\njobs: {jobs}\nops: {ops}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
