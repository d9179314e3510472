#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts on gyre and on the installed Node, by turns: the median of each case, and the ratio to Node.

    bench/script/compare.py GYRE [ROUNDS] [--processor] [CASE...]

Both engines of gyre, where they are built in; for the cases that are promise jobs also V8 alone, the floor
(bench/script/floor.cpp), where it is built beside GYRE. --processor takes the processor time of the whole process instead of the clock,
without that of an empty script: for a machine that is busy with other work.
"""
import os
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
FLOOR_CASES = {"chain", "wide", "await1", "await100"}


def measure(command, case):
    if case == "start":
        begin = time.perf_counter()
        subprocess.run([*command, HERE / "empty.js"], check=True)
        return (time.perf_counter() - begin) * 1000
    done = subprocess.run([*command, HERE / "cases.js", case], capture_output=True, text=True, check=True)
    return float(done.stdout)


def processor(command, case):
    """Milliseconds of processor time of a case."""
    return processor_of([*command, HERE / "empty.js"] if case == "start" else [*command, HERE / "cases.js", case])


def processor_of(words):
    """Milliseconds of processor time of a command, of all its threads."""
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise subprocess.CalledProcessError(child.returncode, words)
    return (used.ru_utime + used.ru_stime) * 1000


def memory(command):
    done = subprocess.run([*command, HERE / "memory.js"], capture_output=True, text=True, check=True)
    return float(done.stdout)


def has_engine(gyre, name):
    return subprocess.run([gyre, "run", "--engine", name, HERE / "empty.js"], capture_output=True, check=False).returncode == 0


def main():
    gyre, words = sys.argv[1], sys.argv[2:]
    rounds = next((int(word) for word in words if word.isdigit()), 5)
    wanted = [word for word in words if word in CASES] or list(CASES)
    take = processor if "--processor" in words else measure
    node = shutil.which("node")
    if node is None:
        print("no node is installed to compare with: install the group bench")
        return 1
    commands = {name: [gyre, "run", "--engine", name] for name in ("v8", "quickjs") if has_engine(gyre, name)}
    floor = pathlib.Path(gyre).with_name("bench_script_floor")
    if floor.exists() and take is measure:
        commands["floor"] = [floor]
    commands["node"] = [node]
    print(f"{'case':10}" + "".join(f" {name + ' ms':>11} {'ratio':>6}" for name in commands) + "  what")
    empty = dict.fromkeys(commands, 0.0)
    if take is processor:
        empty = {name: min(processor(command, "start") for _ in range(rounds)) for name, command in commands.items()}
    for case in wanted:
        what = CASES[case]
        able = {name: command for name, command in commands.items() if name != "floor" or case in FLOOR_CASES}
        taken = {name: [] for name in able}
        for _ in range(rounds):
            for name, command in able.items():
                taken[name].append(take(command, case) - (0 if case == "start" else empty[name]))
        medians = {name: statistics.median(values) for name, values in taken.items()}
        row = "".join(
            f" {medians[name]:11.1f} {medians[name] / medians['node']:6.2f}" if name in able else " " * 19 for name in commands)
        print(f"{case:10}{row}  {what}", flush=True)
    used = {name: memory(command) for name, command in commands.items() if name != "floor"}
    row = "".join(
        f" {used[name]:11.1f} {used[name] / used['node']:6.2f}" if name in used else " " * 19 for name in commands)
    print(f"{'memory':10}{row}  MiB resident, empty script")
    return 0


if __name__ == "__main__":
    sys.exit(main())
