#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers in JavaScript: node:http on gyre's engines and on Node, and gyre:http. hello and echo (JSON) are loaded by wrk, stream
sends 1 GB to one client.

    bench/script/http_servers.py GYRE [ROUNDS] [hello|echo|stream...]

Processor time of the server for a request (for stream: for a MiB), in the program and in the kernel, requests (MiB) a second, and
the ratio of the processor time to that of Node: below 1 is less.
"""
import pathlib
import shutil
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "vela"))
from http_hello import measure, processor_seconds  # noqa: E402

# The program for node:http, the one for gyre:http, the unit.
SERVERS = {
    "hello": ("http_hello.js", "http_serve.mjs", "requests"),
    "echo": ("http_echo.js", "http_echo_serve.mjs", "requests"),
    "stream": ("http_stream.js", "http_stream_serve.mjs", "MiB"),
}
STREAM_MIB = 1024


def engines_of(gyre):
    text = subprocess.run([gyre, "version"], capture_output=True, text=True, check=True).stdout.lower()
    return [name for name in ("v8", "quickjs") if name in text]


def receive_all(port):
    """Reads the answer of the server to its end."""
    into = bytearray(1 << 20)
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        size = 0
        while count := client.recv_into(into):
            size += count
    if size < STREAM_MIB << 20:
        raise SystemExit(f"bench: the server sent {size} bytes")


def measure_stream(command):
    """Microseconds a MiB in the program and in the kernel, and MiB a second."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = int(server.stdout.readline())
            before, begin = processor_seconds(server), time.perf_counter()
            receive_all(port)
            after, end = processor_seconds(server), time.perf_counter()
        finally:
            server.kill()
    return [(late - early) / STREAM_MIB * 1e6 for early, late in zip(before, after)] + [STREAM_MIB / (end - begin)]


def take(kind, command):
    if kind == "stream":
        return measure_stream(command)
    return measure(command, ["-s", HERE / "json.lua"] if kind == "echo" else [])


def main():
    gyre = sys.argv[1]
    rounds = next((int(word) for word in sys.argv[2:] if word.isdigit()), 3)
    kinds = [word for word in sys.argv[2:] if word in SERVERS] or list(SERVERS)
    if not shutil.which("wrk"):
        print("script-http: left out, wrk is not installed (./dev setup bench)")
        return 0
    for kind in kinds:
        of_node, of_gyre, unit = SERVERS[kind]
        servers = {"node http": ["node", HERE / of_node]} if shutil.which("node") else {}
        for engine in engines_of(gyre):
            servers[f"gyre {engine} http"] = [gyre, "run", "--engine", engine, HERE / of_node]
            servers[f"gyre {engine} gyre:http"] = [gyre, "run", "--engine", engine, HERE / of_gyre]
        node = None
        for name, command in servers.items():
            best = min((take(kind, command) for _ in range(rounds)), key=lambda one: one[0] + one[1])
            node = node or best
            ratio = (best[0] + best[1]) / (node[0] + node[1])
            print(f"{kind:6} {name:23} {best[0]:6.1f} us in the program, {best[1]:6.1f} us in the kernel, {best[2]:7.0f} {unit} a second, {ratio:5.2f} of Node's", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
