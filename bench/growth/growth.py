#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How cost grows: what an operation takes, and an item holds, among 100 to 1,000,000 items.

    bench/growth/growth.py BUILD [SUBJECT...] [--rounds N] [--max COUNT] [--peer NAMES] [--json FILE] [--plot FOLDER]
    bench/growth/growth.py BUILD [SUBJECT...] --instructions [--max COUNT]

Each measurement is a process of its own, ours and the peers' by turns; its value is the best of the rounds (3). The slope
is that of a line through the logarithms of cost and count: 0 for a constant cost, 1 for one that doubles with the
count. By the clock, more items than the caches hold cost more although nothing else is done: --instructions counts ours
under valgrind instead, up to --max (10,000), and fails if a slope is above 0.15, which a logarithm does not reach.
--plot writes growth.png and growth.svg, of a panel for each subject; it needs matplotlib.
"""
import argparse
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import report  # noqa: E402

SMALLEST = 100
OPERATIONS = 2_000  # under valgrind
SLOPE_MAX = 0.15
CALL_TIMEOUT_S = 120
PEERS = ["libuv", "asio", "go"]


class Program:
    def __init__(self, name, command):
        self.name = name
        self.command = command
        self.counts_max = {}

    def list_subjects(self):
        done = subprocess.run([*self.command, "--list"], capture_output=True, text=True, check=True)
        self.counts_max = {name: int(limit) for name, limit in (line.split("\t") for line in done.stdout.splitlines())}

    def counts(self, subject, largest):
        """Powers of ten, and the subject's own limit instead of the last one that it cannot reach."""
        limit = min(self.counts_max.get(subject, 0), largest)
        counts = []
        count = SMALLEST
        while count <= limit:
            counts.append(count)
            count *= 10
        if counts and limit > 2 * counts[-1]:
            counts.append(limit)
        return counts


def make_go(build):
    go = shutil.which("go")
    if go is None:
        return None
    path = build / "bench-peers" / "go_growth" / "bench_peer_go_growth"
    done = subprocess.run(
        [go, "build", "-buildvcs=false", "-o", path, "."], cwd=HERE.parent / "peers" / "go_growth", check=False
    )
    return path if done.returncode == 0 else None


def find_programs(build, peers):
    programs = [Program("ours", [build / "bin" / "bench_growth"])]
    for name in peers:
        path = make_go(build) if name == "go" else build / "bin" / f"bench_peer_{name}_growth"
        if path is None or not path.exists():
            print(f"bench: {name} not found, its rows drop out (./dev setup bench installs it)", file=sys.stderr)
            continue
        programs.append(Program(name, [path]))
    for program in programs:
        program.list_subjects()
    return programs


def call(words, environment=None):
    """What it printed, or None."""
    try:
        done = subprocess.run(
            words, env=environment, capture_output=True, text=True, timeout=CALL_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        print(f"bench: {' '.join(map(str, words))} took more than {CALL_TIMEOUT_S} s", file=sys.stderr)
        return None
    if done.returncode != 0:
        print(f"bench: {' '.join(map(str, words))} failed: {done.stderr.strip()[-200:]}", file=sys.stderr)
        return None
    return done.stdout.strip()


def measure(program, subject, count):
    """(ns, bytes), each None where there is none."""
    printed = call([*program.command, subject, str(count)])
    if printed is None:
        return None, None
    return tuple(None if text == "-" else float(text) for text in printed.split("\t"))


def instructions(program, subject, count):
    """Of one operation."""
    with tempfile.TemporaryDirectory(prefix="gyre-growth-") as folder:
        output = os.path.join(folder, "callgrind")
        words = ["valgrind", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={output}"]
        # valgrind knows no ring of io_uring.
        environment = os.environ | {"GYRE_PLATFORM": "epoll"}
        printed = call([*words, *program.command, subject, str(count), "--operations", str(OPERATIONS)], environment)
        if printed is None:
            return None
        total = re.search(r"^(?:totals|summary): (\d+)", pathlib.Path(output).read_text(encoding="utf-8"), re.MULTILINE)
        return int(total.group(1)) / int(printed)


def slope(values):
    """Of {count: cost}, both by their logarithms; None for fewer than two."""
    points = [(math.log(count), math.log(cost)) for count, cost in values.items() if cost]
    if len(points) < 2:
        return None
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def keep_best(values, count, value):
    if value is not None:
        values[count] = min(value, values.get(count, value))


def run_by_clock(programs, subjects, options):
    """{subject: {program: {"ns": {count: value}, "bytes": {count: value}}}}"""
    found = {subject: {program.name: {"ns": {}, "bytes": {}} for program in programs} for subject in subjects}
    for turn in range(options.rounds):
        print(f"bench: round {turn + 1} of {options.rounds}", file=sys.stderr, flush=True)
        for subject in subjects:
            for program in programs if turn % 2 == 0 else reversed(programs):
                for count in program.counts(subject, options.max or 1_000_000):
                    ns, size = measure(program, subject, count)
                    keep_best(found[subject][program.name]["ns"], count, ns)
                    keep_best(found[subject][program.name]["bytes"], count, size)
    return found


def label(count):
    return f"{count // 1_000_000} M" if count >= 1_000_000 else f"{count:,}"


def print_rows(rows, columns):
    """Rows of (words, {count: value}): the counts are the columns."""
    lines = [[*columns, *map(label, SHOWN), "most", "slope"]]
    for words, values in rows:
        rest = [value for count, value in values.items() if count not in SHOWN]
        found = slope(values)
        cells = [report.format_value(values.get(count)) for count in SHOWN]
        lines.append(
            [*words, *cells, report.format_value(rest[0] if rest else None), "-" if found is None else f"{found:+.2f}"]
        )
    report.print_aligned(lines, set(range(len(columns))))


SHOWN = [100, 1_000, 10_000, 100_000, 1_000_000]


def print_by_clock(found):
    for unit, head in (("ns", "nanoseconds an operation"), ("bytes", "bytes an item")):
        print(f"\n{head}")
        rows = [
            ([subject, name], values[unit])
            for subject, of_programs in found.items()
            for name, values in of_programs.items()
            if values[unit]
        ]
        print_rows(rows, ["subject", ""])
    print("\n`most`: with as many as the limit of the subject or of the system lets there be.")


def run_by_instructions(program, subjects, options):
    rows = []
    for subject in subjects:
        counts = program.counts(subject, options.max or 10_000)
        values = {count: instructions(program, subject, count) for count in counts}
        rows.append(([subject], {count: value for count, value in values.items() if value}))
    print("instructions an operation")
    print_rows(rows, ["subject"])
    growing = [words[0] for words, values in rows if (slope(values) or 0) > SLOPE_MAX or len(values) < 2]
    print(f"\nWith a slope above {SLOPE_MAX}, or not measured: {', '.join(growing) or 'none'}.")
    return 1 if growing else 0


def plot(found, folder):
    """By the first Python that has matplotlib."""
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", "import matplotlib"], capture_output=True, check=False)
        if done.returncode == 0:
            subprocess.run([python, HERE / "plot.py", folder], input=json.dumps(found), text=True, check=True)
            return
    print("bench: matplotlib not found, no plot is made (./dev setup bench installs it)", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench growth", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--max", type=int, metavar="COUNT")
    parser.add_argument("--peer", metavar="NAMES", help="a comma list, or none")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--plot", metavar="FOLDER")
    options = parser.parse_intermixed_args()
    peers = PEERS if options.peer is None else [name for name in PEERS if name in options.peer.split(",")]
    programs = find_programs(options.build.resolve(), [] if options.instructions else peers)
    known = list(programs[0].counts_max)
    unknown = [subject for subject in options.subjects if subject not in known]
    if unknown:
        parser.error(f"no subject {', '.join(unknown)}; there are {', '.join(known)}")
    subjects = options.subjects or known
    if options.instructions:
        return run_by_instructions(programs[0], subjects, options)
    found = run_by_clock(programs, subjects, options)
    print_by_clock(found)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    if options.plot:
        plot(found, options.plot)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
