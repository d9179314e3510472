# SPDX-License-Identifier: Apache-2.0
"""A server that answers every request with one line, in Vela on gyre and in JavaScript on Node, loaded by wrk over
loopback: the processor time of the server for a request, in the program and in the kernel, and requests a second.

The kernel's part is about the same for both, and is what no server can go below with one request a packet.
"""
import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).parent
CONNECTIONS = 32
SECONDS = 3


def processor_seconds(process):
    """In the program and in the kernel, of all its threads."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return int(fields[11]) / ticks, int(fields[12]) / ticks


def load(port, seconds, options=()):
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", *options, f"http://127.0.0.1:{port}/"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        raise SystemExit(f"bench: the server failed:\n{text}")
    return int(re.search(r"(\d+) requests in", text).group(1))


def measure(command, options=()):
    """Microseconds a request in the program and in the kernel, and requests a second."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = int(server.stdout.readline())
            load(port, 1, options)
            before = processor_seconds(server)
            count = load(port, SECONDS, options)
            after = processor_seconds(server)
        finally:
            server.kill()
    return [(late - early) / count * 1e6 for early, late in zip(before, after)] + [count / SECONDS]


def compare(gyre, rounds):
    commands = {"gyre": [gyre, "run", HERE / "http_hello.vela"], "node": ["node", HERE / "peers/http_hello.js"]}
    if not shutil.which("wrk"):
        print("http hello: left out, wrk is not installed (./dev setup bench)")
        return
    for name, command in commands.items():
        if not shutil.which(command[0]):
            continue
        best = min((measure(command) for _ in range(rounds)), key=lambda one: one[0] + one[1])
        print(f"http hello: {name:4} {best[0]:5.1f} us in the program, {best[1]:5.1f} us in the kernel, {best[2]:7.0f} requests a second")
