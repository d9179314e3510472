#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts on gyre and on the installed Node, by turns: the median of each case, and the ratio to Node.

    bench/script/compare.py GYRE [ROUNDS]

Both engines of gyre, where they are built in.
"""
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
CASES = {
    "start": "an empty script, from start to end",
    "chain": "1M promise jobs, one after the other", "wide": "1M promise jobs at once",
    "await1": "1M awaits in one loop", "await100": "1M awaits in 100 loops",
    "tickchain": "1M ticks, one after the other", "tickwide": "1M ticks at once",
    "immchain": "200,000 immediates, one after the other", "immwide": "1M immediates at once",
    "timers": "100,000 timers", "setclear": "1M timers set and cleared",
}


def measure(command, case):
    if case == "start":
        begin = time.perf_counter()
        subprocess.run([*command, HERE / "empty.js"], check=True)
        return (time.perf_counter() - begin) * 1000
    done = subprocess.run([*command, HERE / "cases.js", case], capture_output=True, text=True, check=True)
    return float(done.stdout)


def memory(command):
    done = subprocess.run([*command, HERE / "memory.js"], capture_output=True, text=True, check=True)
    return float(done.stdout)


def has_engine(gyre, name):
    return subprocess.run([gyre, "run", "--engine", name, HERE / "empty.js"], capture_output=True, check=False).returncode == 0


def main():
    gyre, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    node = shutil.which("node")
    if node is None:
        print("no node is installed to compare with: install the group bench")
        return 1
    commands = {name: [gyre, "run", "--engine", name] for name in ("v8", "quickjs") if has_engine(gyre, name)}
    commands["node"] = [node]
    print(f"{'case':10}" + "".join(f" {name + ' ms':>11} {'ratio':>6}" for name in commands) + "  what")
    for case, what in CASES.items():
        taken = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                taken[name].append(measure(command, case))
        medians = {name: statistics.median(values) for name, values in taken.items()}
        row = "".join(f" {value:11.1f} {value / medians['node']:6.2f}" for value in medians.values())
        print(f"{case:10}{row}  {what}", flush=True)
    used = {name: memory(command) for name, command in commands.items()}
    row = "".join(f" {value:11.1f} {value / used['node']:6.2f}" for value in used.values())
    print(f"{'memory':10}{row}  MiB resident, empty script")
    return 0


if __name__ == "__main__":
    sys.exit(main())
