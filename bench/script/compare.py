#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts on gyre and on the installed Node, by turns: the median of each case, and their ratio.

    bench/script/compare.py GYRE [ROUNDS]
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


def main():
    gyre, rounds = [sys.argv[1], "run"], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    node = shutil.which("node")
    if node is None:
        print("no node is installed to compare with: install the group bench")
        return 1
    print(f"{'case':10} {'gyre ms':>9} {'node ms':>9} {'ratio':>6}  what")
    for case, what in CASES.items():
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(measure(gyre, case))
            theirs.append(measure([node], case))
        a, b = statistics.median(ours), statistics.median(theirs)
        print(f"{case:10} {a:9.1f} {b:9.1f} {a / b:6.2f}  {what}")
    print(f"{'memory':10} {memory(gyre):9.1f} {memory([node]):9.1f}         MiB resident, empty script")
    return 0


if __name__ == "__main__":
    sys.exit(main())
