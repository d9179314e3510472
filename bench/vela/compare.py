#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vela beside Lua 5.4, LuaJIT, Node, QuickJS and CPython, by turns in one run: of each case the best and the
median of the rounds in nanoseconds an operation, and how many times as long the peers take (above 1: Vela is faster).

    bench/vela/compare.py GYRE [ROUNDS] [CASE...]

A peer that is not installed, or has nothing like the case, is a dash. The cases stand in cases.vela and in peers/. The case
http is of its own: http_hello.py.
"""
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import http_hello

HERE = pathlib.Path(__file__).parent
# Name: size, operations for that size, what it is.
CASES = {
    "fib": (30, 1346269 * 2, "a call of fib(30)"),
    "loops": (2000, 4_000_000, "an iteration of nested loops"),
    "floats": (3_000_000, 3_000_000, "an iteration over floats"),
    "text": (500_000, 500_000, "a text with a number, joined"),
    "lists": (500_000, 500_000, "an item pushed, read, walked, set, mapped, filtered"),
    "maps": (300_000, 300_000, "a number and a text set and looked up"),
    "sort": (1_000_000, 1_000_000, "an item of 1M, made and sorted"),
    "objects": (1_000_000, 1_000_000, "an object made, two methods called"),
    "closures": (3_000_000, 3_000_000, "a call of a closure"),
    "settled": (3_000_000, 3_000_000, "await of a settled future (Lua: yield and resume)"),
    "ready": (3_000_000, 3_000_000, "await of a ready async function (Lua: a coroutine)"),
    "spawn": (300_000, 300_000, "a task spawned and joined"),
    "tasks": (300_000, 300_000, "a task of 300,000 at once"),
    "wake": (300_000, 300_000, "a task that waits and is woken"),
    "actors": (500_000, 500_000, "a message to an actor"),
}


def quickjs(gyre):
    """The command that runs a script on QuickJS, or nothing."""
    if shutil.which("qjs"):
        return None  # It has no process: gyre's host is the one that runs the file as it is.
    command = [gyre, "run", "--engine", "quickjs"]
    with tempfile.NamedTemporaryFile("w", suffix=".js") as script:
        script.write("console.log(1)\n")
        script.flush()
        done = subprocess.run([*command, script.name], capture_output=True, text=True)
    return [*command, HERE / "peers/cases.js"] if done.returncode == 0 and done.stdout == "1\n" else None


def peers_of(gyre):
    found = {"gyre": [gyre, "run", HERE / "cases.vela"]}
    for name, program, script in (
        ("lua", "lua5.4", "cases.lua"), ("luajit", "luajit", "cases.lua"), ("node", "node", "cases.js"),
        ("python", "python3", "cases.py"),
    ):
        if shutil.which(program):
            found[name] = [program, HERE / "peers" / script]
    if (command := quickjs(gyre)) is not None:
        found["quickjs"] = command
    return found


def measure(command, case, size):
    done = subprocess.run([*command, case, str(size)], capture_output=True, text=True)
    lines = done.stdout.split()
    if done.returncode != 0 or len(lines) != 2:
        return None
    return lines[0], float(lines[1]) * 1e6


def compare(name, commands, rounds):
    size, operations, what = CASES[name]
    times = {peer: [] for peer in commands}
    results = set()
    for turn in range(rounds):
        order = list(commands) if turn % 2 == 0 else list(reversed(commands))
        for peer in order:
            measured = measure(commands[peer], name, size)
            if measured is None:
                continue
            results.add(round(float(measured[0]), 6))
            times[peer].append(measured[1] / operations)
    if len(results) != 1:
        sys.exit(f"bench: the results of {name} differ: {sorted(results)}")
    cells = []
    for peer in list(commands)[1:]:
        has_both = times[peer] and times["gyre"]
        cells.append(f"{min(times[peer]) / min(times['gyre']):8.2f}" if has_both else f"{'-':>8}")
    ours = times["gyre"]
    print(f"{name:9} {min(ours):8.1f} {statistics.median(ours):8.1f} {''.join(cells)}  {what}", flush=True)


def start_up(gyre, rounds):
    with tempfile.TemporaryDirectory() as folder:
        vela, script = pathlib.Path(folder, "a.vela"), pathlib.Path(folder, "a.js")
        vela.write_text('async fn main() -> void { print("hello") }\n')
        script.write_text("console.log('hello')\n")
        row = {}
        for name, command in (("gyre", [gyre, "run", vela]), ("node", ["node", script])):
            if name == "node" and not shutil.which("node"):
                continue
            spent = []
            for _ in range(rounds * 4):
                begin = time.perf_counter()
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                spent.append((time.perf_counter() - begin) * 1000)
            row[name] = (min(spent), statistics.median(spent))
        text = ", ".join(f"{name} {best:.1f} ms (median {middle:.1f})" for name, (best, middle) in row.items())
        print(f"start-up: {text}")


def sleeping_bytes(gyre):
    """What a task that sleeps takes: the growth of the process from 10,000 to 210,000 of them."""
    text = """import 'system:process'
async fn nap() -> void { await sleep(300) }
async fn main() -> void {
  n = args[0].toNumber().unwrap()
  all = (0..n).map(i => spawn(nap()))
  for one in all { await one }
}
"""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "nap.vela")
        program.write_text(text)
        sizes = []
        for count in (10_000, 210_000):
            timed = subprocess.run([sys.executable, "-c", PEAK, gyre, str(program), str(count)], capture_output=True,
                                   text=True, check=True)
            sizes.append(int(re.search(r"\d+", timed.stdout).group()) * 1024)
        print(f"a sleeping task: {(sizes[1] - sizes[0]) / 200_000:.0f} bytes")


PEAK = """import resource, subprocess, sys
subprocess.run([sys.argv[1], "run", sys.argv[2], sys.argv[3]], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def main():
    gyre = str(pathlib.Path(sys.argv[1]).resolve())
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if sys.argv[3:] == ["http"]:
        http_hello.compare(gyre, rounds)
        return 0
    names = sys.argv[3:] or list(CASES)
    commands = peers_of(gyre)
    print(f"{'case':9} {'best ns':>8} {'median':>8} {''.join(f'{peer:>8}' for peer in list(commands)[1:])}  what")
    for name in names:
        compare(name, commands, rounds)
    if len(sys.argv) <= 3:
        start_up(gyre, rounds)
        sleeping_bytes(gyre)
        http_hello.compare(gyre, rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
