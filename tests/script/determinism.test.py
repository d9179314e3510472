#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An HTTP application with clients, timers and files in virtual time: a seed gives the same output and the same
trace each time, and other seeds give others.

    determinism.test.py GYRE ENGINE [SEEDS]
"""
import concurrent.futures
import hashlib
import pathlib
import subprocess
import sys
import tempfile

APP = pathlib.Path(__file__).parent / "virtual" / "app.mjs"


def once(gyre, engine, seed, folder, name):
    trace = pathlib.Path(folder) / f"{seed}-{name}.json"
    done = subprocess.run([gyre, "run", "--engine", engine, "--clock", "virtual", "--seed", str(seed), "--trace", str(trace), str(APP)],
                          capture_output=True, text=True, timeout=300, check=False)
    digest = hashlib.sha256(trace.read_bytes()).hexdigest() if trace.exists() else "no trace"
    trace.unlink(missing_ok=True)
    return done.returncode, done.stdout + done.stderr, digest


def main():
    gyre, engine = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    failures = 0
    outputs = set()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        first = pool.map(lambda seed: once(gyre, engine, seed, folder, "first"), range(1, count + 1))
        second = pool.map(lambda seed: once(gyre, engine, seed, folder, "second"), range(1, count + 1))
        for seed, one, other in zip(range(1, count + 1), first, second):
            outputs.add(one[1])
            if one != other or one[0] != 0 or one[2] == "no trace":
                failures += 1
                print(f"seed {seed}: {one}\n not {other}")
    if len(outputs) < count:
        failures += 1
        print(f"only {len(outputs)} outputs")
    print(f"{count} seeds, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
