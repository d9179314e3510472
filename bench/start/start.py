#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a small program costs: hello, an echo server, a timer that ticks, of gyre and of others.

    bench/start/start.py BUILD [--runs N] [--peer NAMES]

Each writes a line in its first task. Milliseconds from the start of the process to that line, the best of the runs (20), by
turns; resident memory, and of it the program's own (not shared with files), half a second later; system calls up to the
line, of all threads, counted by strace; the size of the stripped program. The programs of gyre are linked with its static libraries, those of libuv with Debian's
shared one; all but Go's and tokio's need the shared C++ library too. Go and tokio have all three in one program.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import report  # noqa: E402

PROGRAMS = ["hello", "echo", "idle"]
PEERS = ["asio", "libuv", "tokio", "go"]
GOALS = {"ms": 2, "MB": 4, "calls": 60}


def build_other(name, build):
    """The path of a program in Go or Rust, or None."""
    source = HERE.parent / "peers" / f"{name}_start"
    folder = build / "bench-peers" / f"{name}_start"
    if name == "go":
        words, path = [shutil.which("go"), "build", "-buildvcs=false", "-o", folder / "go", "."], folder / "go"
    else:
        shutil.copytree(source, folder, dirs_exist_ok=True)  # cargo writes its lock file beside the manifest.
        words = [shutil.which("cargo"), "build", "--release", "--quiet", "--target-dir", folder / "target"]
        source, path = folder, folder / "target" / "release" / "bench_start_tokio"
    if words[0] is None:
        return None
    done = subprocess.run(words, cwd=source, capture_output=True, check=False)
    return path if done.returncode == 0 else None


def find(build, peers):
    """{who: {program: words}}"""
    found = {}
    for who in ["gyre", *peers]:
        if who in ("go", "tokio"):
            path = build_other(who, build)
            commands = {} if path is None else {program: [path, program] for program in PROGRAMS}
        else:
            paths = {program: build / "bin" / f"bench_start_{who}_{program}" for program in PROGRAMS}
            commands = {program: [path] for program, path in paths.items() if path.exists()}
        if len(commands) == len(PROGRAMS):
            found[who] = commands
        else:
            print(f"bench: {who} not found, its rows drop out (./dev setup bench installs it)", file=sys.stderr)
    return found


def wait_ready(process):
    line = process.stdout.readline()
    if line != b"ready\n":
        sys.exit(f"bench: {process.args} printed {line!r}")


def start_ms(words):
    begin = time.perf_counter()
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        wait_ready(process)
        taken = time.perf_counter() - begin
        process.kill()
    return taken * 1000


def resident_mb(words):
    """(all, of it not of files), or None for a program that ends."""
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        wait_ready(process)
        time.sleep(0.5)
        found = None
        if process.poll() is None:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
            sizes = {key: value.split() for key, _, value in (line.partition(":") for line in status.splitlines())}
            found = (int(sizes["VmRSS"][0]) / 1024, int(sizes["RssAnon"][0]) / 1024)
        process.kill()
    return found


def call_count(words):
    """None without strace."""
    if shutil.which("strace") is None:
        return None
    with tempfile.NamedTemporaryFile(prefix="gyre-strace-", mode="r") as log:
        with subprocess.Popen(["strace", "-f", "-o", log.name, *words], stdout=subprocess.PIPE) as process:
            wait_ready(process)
            subprocess.run(["pkill", "-KILL", "-P", str(process.pid)], check=False)
            process.wait()
        count = 0
        for line in log:
            if '"ready\\n"' in line:
                return count
            # A call that another thread's line interrupted is counted once.
            if "(" in line and "resumed>" not in line:
                count += 1
    return None


def stripped_kb(path):
    with tempfile.NamedTemporaryFile(prefix="gyre-stripped-") as copy:
        subprocess.run(["strip", "-o", copy.name, path], check=True)
        return os.path.getsize(copy.name) / 1024


def main():
    parser = argparse.ArgumentParser(prog="./dev bench start", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--peer", metavar="NAMES", help="a comma list, or none")
    options = parser.parse_args()
    peers = PEERS if options.peer is None else [name for name in PEERS if name in options.peer.split(",")]
    found = find(options.build.resolve(), peers)
    best = {}
    for _ in range(options.runs):
        for program in PROGRAMS:
            for who, commands in found.items():
                taken = start_ms(commands[program])
                best[program, who] = min(taken, best.get((program, who), taken))
    lines = [["program", "", "ms", "resident MB", "own MB", "calls", "size KB"]]
    for program in PROGRAMS:
        for who, commands in found.items():
            words = commands[program]
            size, own = resident_mb(words) or (None, None)
            calls = call_count(words)
            cells = [f"{best[program, who]:.2f}", *("-" if mb is None else f"{mb:.1f}" for mb in (size, own))]
            lines.append(
                [program, who, *cells, "-" if calls is None else str(calls), f"{stripped_kb(words[0]):,.0f}"]
            )
    report.print_aligned(lines, {0, 1})
    print("\nGoals: " + ", ".join(f"{value} {unit}" for unit, value in GOALS.items()) + ".")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
