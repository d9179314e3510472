#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server of one line in JavaScript, loaded by wrk: node:http on gyre's engines and on Node, and gyre:http.

    bench/script/http_servers.py GYRE [ROUNDS]

Processor time of the server for a request, in the program and in the kernel, requests a second, and the ratio of the processor
time to that of Node: below 1 is less.
"""
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "vela"))
from http_hello import measure  # noqa: E402


def engines_of(gyre):
    text = subprocess.run([gyre, "version"], capture_output=True, text=True, check=True).stdout.lower()
    return [name for name in ("v8", "quickjs") if name in text]


def main():
    gyre = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    if not shutil.which("wrk"):
        print("script-http: left out, wrk is not installed (./dev setup bench)")
        return 0
    servers = {"node http": ["node", HERE / "http_hello.js"]} if shutil.which("node") else {}
    for engine in engines_of(gyre):
        servers[f"gyre {engine} http"] = [gyre, "run", "--engine", engine, HERE / "http_hello.js"]
        servers[f"gyre {engine} gyre:http"] = [gyre, "run", "--engine", engine, HERE / "http_serve.mjs"]
    node = None
    for name, command in servers.items():
        best = min((measure(command) for _ in range(rounds)), key=lambda one: one[0] + one[1])
        node = node or best
        ratio = (best[0] + best[1]) / (node[0] + node[1])
        print(f"{name:23} {best[0]:6.1f} us in the program, {best[1]:6.1f} us in the kernel, {best[2]:7.0f} requests a second, {ratio:5.2f} of Node's")
    return 0


if __name__ == "__main__":
    sys.exit(main())
