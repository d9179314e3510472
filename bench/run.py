#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs gyre's benchmarks beside those of other libraries, and prints one table.

Every program (ours and the peers') is called in turn, round after round, so that a change of the
machine's mood meets all of them. A case's value is the best of its rounds, or their median where
the case says so.

A program is called as `PROGRAM --cases a,b,c [--quick]` and prints lines `case<TAB>value`;
`PROGRAM --list` prints the cases it has. What there is to measure stands in bench/cases.json.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

# The folder of the sources stays clean: no compiled modules beside them.
sys.dont_write_bytecode = True
import programs as finder  # noqa: E402
import report  # noqa: E402

BENCH_DIR = os.path.dirname(os.path.abspath(__file__))
CALL_TIMEOUT_S = 120
# What stands for the rounds of a case: the best, unless the case says otherwise.
PICKS = {"less": min, "more": max, "median": statistics.median}


def load_cases():
    with open(os.path.join(BENCH_DIR, "cases.json"), encoding="utf-8") as file:
        declared = json.load(file)
    names = [case["case"] for case in declared["cases"]]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        sys.exit(f"bench: cases.json names {', '.join(doubled)} more than once")
    return declared


def parse_arguments(groups):
    parser = argparse.ArgumentParser(
        prog="./dev bench", description="Measures gyre and other libraries in one run."
    )
    parser.add_argument("group", nargs="?", choices=groups, help="measure this group only")
    parser.add_argument("--json", metavar="FILE", help="write the rows to FILE as well")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds (default 5, quick 2)")
    parser.add_argument("--quick", action="store_true", help="smaller sizes: a first look, no proof")
    parser.add_argument("--case", metavar="TEXT", help="only cases whose name contains TEXT")
    parser.add_argument("--peer", metavar="NAMES", help="only these peers (comma list, or none)")
    parser.add_argument("--build", metavar="DIR", help="the build folder (default build/release)")
    parser.add_argument("--list", action="store_true", help="list the cases and end")
    arguments = parser.parse_args()
    if arguments.rounds is None:
        arguments.rounds = 2 if arguments.quick else 5
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    return arguments


def select_cases(declared, arguments):
    cases = [
        case
        for case in declared["cases"]
        if arguments.group in (None, case["group"]) and (arguments.case or "") in case["case"]
    ]
    if not cases:
        sys.exit("bench: no case matches; --list shows them")
    return cases


class Progress:
    """One line on stderr that is written over; silent where nobody watches."""

    def __init__(self):
        self.is_shown = sys.stderr.isatty()

    def show(self, text):
        if self.is_shown:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def note(self, text):
        self.show("")
        print(text, file=sys.stderr)


def call(program, arguments):
    """The lines a program printed; None and a reason when it failed."""
    command = program.command + arguments
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=CALL_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return None, f"took more than {CALL_TIMEOUT_S} s"
    except OSError as error:
        return None, str(error)
    if done.returncode != 0:
        last_line = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return None, f"ended with {done.returncode}: {last_line}"
    return done.stdout.splitlines(), ""


def list_cases(programs, progress):
    for program in programs:
        lines, reason = call(program, ["--list"])
        if lines is None:
            progress.note(f"bench: {program.name} {reason}; its rows drop out")
        program.cases = set(lines or [])


def measure(programs, cases, arguments, progress):
    """{program name: {case: [value of each round]}}"""
    values = {program.name: {} for program in programs}
    case_sets = list(dict.fromkeys((case["group"], case["set"]) for case in cases))
    failed = set()
    for round_number in range(1, arguments.rounds + 1):
        for case_set in case_sets:
            names = [c["case"] for c in cases if (c["group"], c["set"]) == case_set]
            for program in programs:
                wanted = [name for name in names if name in program.cases]
                if not wanted or program.group not in (None, case_set[0]):
                    continue
                if (program.name, case_set) in failed:
                    continue
                progress.show(
                    f"round {round_number} of {arguments.rounds}: {case_set[1]}: {program.name}"
                )
                options = ["--quick"] if arguments.quick else []
                lines, reason = call(program, ["--cases", ",".join(wanted)] + options)
                if lines is None:
                    failed.add((program.name, case_set))
                    progress.note(f"bench: {program.name}, {', '.join(wanted)}: {reason}")
                    continue
                for line in lines:
                    name, _, value = line.partition("\t")
                    values[program.name].setdefault(name, []).append(float(value))
    progress.show("")
    return values


def make_rows(cases, values, peer_names, bare_names):
    rows = []
    for case in cases:
        name = case["case"]
        pick = PICKS[case.get("pick", case["better"])]
        own = values.get("ours", {}).get(name)
        peer_case = case.get("beside", name)
        found = {
            who: rounds[peer_case]
            for who, rounds in values.items()
            if peer_case in rounds and not ("beside" in case and who in bare_names)
        }
        found.pop("ours", None)
        best = {who: pick(found[who]) for who in peer_names if who in found}
        median = {who: statistics.median(found[who]) for who in peer_names if who in found}
        row = {
            "group": case["group"],
            "case": name,
            "unit": case["unit"],
            "better": case["better"],
            "ours": pick(own) if own else None,
            "peers": best,
            "ours_median": statistics.median(own) if own else None,
            "peers_median": median,
        }
        goal = case.get("goal")
        if isinstance(goal, dict):
            row["goal_text"] = f"{goal['peer']} x {goal['factor']}"
            ranked = report.ranked(best)
            best_of = PICKS[case["better"]]
            peer_value = best_of(ranked, default=None) if goal["peer"] == "best" else best.get(goal["peer"])
            goal = None if peer_value is None else peer_value * goal["factor"]
        if goal is not None:
            row["goal"] = goal
        rows.append(row)
    return rows


def warn_if_busy(progress):
    load = os.getloadavg()[0]
    cores = len(os.sched_getaffinity(0))
    if load > 0.5 * cores:
        progress.note(
            f"bench: the machine is busy (load {load:.1f} on {cores} cores): "
            "figures will be unsteady, above all those between threads"
        )


def main():
    declared = load_cases()
    groups = list(dict.fromkeys(case["group"] for case in declared["cases"]))
    arguments = parse_arguments(groups)
    cases = select_cases(declared, arguments)
    if arguments.list:
        report.print_cases(cases)
        return 0

    progress = Progress()
    build_dir = os.path.abspath(
        arguments.build or os.path.join(BENCH_DIR, "..", "build", "release")
    )
    # Whose time is not the server's.
    os.environ["GYRE_BENCH_ECHO_CLIENT"] = os.path.join(build_dir, "bin", "bench_echo_client")
    used_groups = list(dict.fromkeys(case["group"] for case in cases))
    wanted = {group: declared["peers"].get(group, []) for group in used_groups}
    if arguments.peer is not None:
        named = arguments.peer.split(",")
        wanted = {group: [n for n in names if n in named] for group, names in wanted.items()}
    peer_names = list(dict.fromkeys(name for names in wanted.values() for name in names))
    programs = finder.find_own(build_dir, used_groups, progress)
    programs += finder.find_peers(build_dir, wanted, progress)
    if any(case["set"].startswith("http_load") for case in cases):
        programs += finder.find_servers(build_dir, ["ours", *wanted["http"]], progress)
    list_cases(programs, progress)
    warn_if_busy(progress)

    started = time.monotonic()
    values = measure(programs, cases, arguments, progress)
    rows = make_rows(cases, values, peer_names, declared["bare"])
    report.print_table(rows, [name for name in peer_names if values.get(name)])
    seconds = time.monotonic() - started
    print(f"\nBest of {arguments.rounds} rounds, {seconds:.0f} s in all.", end="")
    print(" Quick sizes: not for comparing." if arguments.quick else "")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=2)
            file.write("\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
