#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What simulated worlds cost: seeds and simulated hours a second of three searched scenarios, events a second, the
memory of a host, and the instructions of a chance point outside of a simulation.

    bench/sim/sim.py BUILD [--seeds N] [--runs N]

The scenarios run under `hostile`, one after another, on one core; the best of the runs counts. The instructions are
counted by valgrind: the difference of two counts of points, less the loop around them.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SCENARIOS = {
    "HTTP": "HttpUnderFaults.answers_once*",
    "actors": "ActorsUnderFaults.conserve*",
}
POINTS = [100_000, 300_000]


def run(words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"bench: {words[0]} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def scenario(build, test, seeds):
    """Seeds a second and simulated hours a second."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "result.json"
        run(
            [build / "bin/test_simulation", f"--gtest_filter={test}", f"--gtest_output=json:{path}"],
            env={**os.environ, "GYRE_SEEDS": str(seeds)},
        )
        (row,) = json.loads(path.read_text(encoding="utf-8"))["testsuites"][0]["testsuite"]
    seconds = float(row["time"].rstrip("s"))
    return int(row["seeds"]) / seconds, int(row["simulated_seconds"]) / 3600 / seconds


def store(build, seeds):
    words = [build / "bin/examples/56_replicated_store", "--seeds", seeds, "--plan", "hostile", "--quiet"]
    found = re.search(r"([\d.]+) seeds/s, ([\d.]+) simulated hours/s", run(words).stderr)
    return float(found[1]), float(found[2])


def instructions(build, option):
    counts = []
    for count in POINTS:
        words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        done = run([*words, build / "bin/bench_sim", option, count])
        counts.append(int(re.search(r"Collected : (\d+)", done.stderr)[1]))
    return (counts[1] - counts[0]) / (POINTS[1] - POINTS[0])


def main():
    parser = argparse.ArgumentParser(prog="./dev bench sim", description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=500)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    rows = []
    for name, test in SCENARIOS.items():
        best = max(scenario(build, test, arguments.seeds) for _ in range(arguments.runs))
        rows += [(f"{name}, seeds/s", f"{best[0]:.0f}"), (f"{name}, simulated hours/s", f"{best[1]:.2f}")]
    best = max(store(build, arguments.seeds) for _ in range(arguments.runs))
    rows += [("replicated store, seeds/s", f"{best[0]:.0f}"), ("replicated store, simulated hours/s", f"{best[1]:.2f}")]
    measured = {}
    for _ in range(arguments.runs):
        for line in run([build / "bin/bench_sim"]).stdout.splitlines():
            name, value = line.split("\t")
            measured.setdefault(name, []).append(float(value))
    for name, values in measured.items():
        rows.append((name, f"{min(values):.0f}" if name.endswith("KB") else f"{max(values):,.3f}".rstrip("0").rstrip(".")))
    if shutil.which("valgrind"):
        cost = instructions(build, "--points") - instructions(build, "--nothing")
        rows.append(("a chance point outside of a simulation, instructions", f"{cost:.1f}"))
    else:
        print("bench: valgrind not found, the row of the chance point drops out (./dev setup bench)", file=sys.stderr)
    print("| what | value |\n| --- | --- |")
    for name, value in rows:
        print(f"| {name} | {value} |")


main()
