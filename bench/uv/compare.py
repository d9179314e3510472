#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of libuv's interface on the installed libuv and on gyre's, by turns: nanoseconds of each operation.

    bench/uv/compare.py BENCH_UV LIBRARY_FOLDER [ROUNDS] [CASE...]

Prints for each case the best and the median of both by the clock, their ratios (libuv's time over gyre's: above 1 gyre is
faster), and the ratio of the medians of processor time, which says more on a machine that is busy with other work.
"""
import os
import statistics
import subprocess
import sys


def measure(program, case, folder):
    environment = dict(os.environ)
    environment.pop("LD_LIBRARY_PATH", None)
    if folder is not None:
        environment["LD_LIBRARY_PATH"] = folder
    done = subprocess.run([program, case], env=environment, capture_output=True, text=True, check=True, timeout=300)
    clock, processor = done.stdout.split()
    return float(clock), float(processor)


def main():
    program, folder, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    rounds = next((int(word) for word in words if word.isdigit()), 5)
    listed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    says = dict(line.split("\t") for line in listed)
    chosen = [word for word in words if not word.isdigit()] or list(says)
    print(f"{'ns':16}{'libuv best':>11}{'median':>9}{'gyre best':>11}{'median':>9}{'best':>7}{'median':>8}{'processor':>11}")
    slower = []
    for case in chosen:
        theirs, ours = [], []
        for _ in range(rounds):
            theirs.append(measure(program, case, None))
            ours.append(measure(program, case, folder))
        row = []
        for rows in (theirs, ours):
            row.append((min(one[0] for one in rows), statistics.median(one[0] for one in rows),
                        statistics.median(one[1] for one in rows)))
        (best, median, processor), (own_best, own_median, own_processor) = row
        ratio = f"{best / own_best:7.2f}{median / own_median:8.2f}{processor / max(own_processor, 0.1):11.2f}"
        print(f"{case:16}{best:11.0f}{median:9.0f}{own_best:11.0f}{own_median:9.0f}{ratio}  {says[case]}", flush=True)
        if best < own_best and median < own_median:
            slower.append(case)
    print("slower by both:", ", ".join(slower) or "none")


if __name__ == "__main__":
    main()
