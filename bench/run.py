#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs gyre's benchmarks beside those of other libraries, and prints one table.

Every program (ours and the peers') is called in turn, round after round and every second round in
reverse, so that a change of the machine's mood meets all of them. A case's value is the best of its
rounds, or their median where the case says so.

With --against COMMIT our programs are called by turns with those of that commit, and peers only where --peer names
them: bench/baseline.py builds both, bench/against.py compares them.

What there is to measure stands in bench/cases.json, how programs are called in bench/rounds.py.
"""

import argparse
import json
import os
import sys
import time

# The folder of the sources stays clean: no compiled modules beside them.
sys.dont_write_bytecode = True
import against  # noqa: E402
import baseline  # noqa: E402
import programs as finder  # noqa: E402
import report  # noqa: E402
import rounds  # noqa: E402

BENCH_DIR = os.path.dirname(os.path.abspath(__file__))


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
        prog="./dev bench",
        description="Measures gyre in one run with other libraries, or with an earlier commit of itself.",
    )
    parser.add_argument("group", nargs="?", choices=groups, help="measure this group only")
    parser.add_argument("--json", metavar="FILE", help="write the rows to FILE as well")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds (default 5, quick 2)")
    parser.add_argument("--quick", action="store_true", help="smaller sizes: a first look, no proof")
    parser.add_argument("--case", metavar="TEXT", help="only cases whose name contains TEXT")
    parser.add_argument("--peer", metavar="NAMES", help="only these peers (comma list, or none)")
    parser.add_argument("--against", metavar="COMMIT", help="measure that commit's programs by turns with ours, no peers")
    parser.add_argument(
        "--limit", type=float, default=3, metavar="PERCENT", help="with --against: what counts as slower (default 3)"
    )
    parser.add_argument("--build", metavar="DIR", help="the build folder (default build/release)")
    parser.add_argument("--list", action="store_true", help="list the cases and end")
    arguments = parser.parse_args()
    if arguments.rounds is None:
        arguments.rounds = 2 if arguments.quick else 5
    if arguments.against and arguments.peer is None:
        arguments.peer = "none"
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


def find_ours(build_dir, groups, has_servers, progress, name="ours"):
    """gyre's own programs in a build folder, under the name of their column."""
    programs = finder.find_own(build_dir, groups, progress)
    if has_servers:
        programs += finder.find_servers(build_dir, ["ours"], progress)
    for program in programs:
        program.name = name
    return programs


def find_theirs(build_dir, wanted, has_servers, progress):
    programs = finder.find_peers(build_dir, wanted, progress)
    return programs + (finder.find_servers(build_dir, wanted["http"], progress) if has_servers else [])


def main():
    declared = load_cases()
    groups = list(dict.fromkeys(case["group"] for case in declared["cases"]))
    arguments = parse_arguments(groups)
    cases = select_cases(declared, arguments)
    if arguments.list:
        report.print_cases(cases)
        return 0

    progress = rounds.Progress()
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
    has_servers = any(case["set"].startswith("http_load") for case in cases) and finder.has_wrk(progress)
    programs = []
    if arguments.against:
        commit = baseline.resolve(arguments.against)
        baseline_dir = baseline.prepare(commit, build_dir, used_groups, peer_names, progress)
        programs = find_ours(baseline_dir, used_groups, has_servers, progress, commit)
    programs += find_ours(build_dir, used_groups, has_servers, progress)
    programs += find_theirs(build_dir, wanted, has_servers, progress)
    rounds.list_cases(programs, progress)
    rounds.warn_if_busy(progress)

    def measure(cases, round_count):
        values = rounds.measure(programs, cases, round_count, arguments.quick, progress)
        return values, rounds.make_rows(cases, values, peer_names, declared["bare"])

    started = time.monotonic()
    if arguments.against:
        cases, one_sided = against.split(cases, programs, commit, arguments.case or "")
        rows = against.run(measure, cases, commit, arguments, progress)
        report.print_comparison(rows, commit, peer_names)
        report.print_one_sided(one_sided)
    else:
        _, rows = measure(cases, arguments.rounds)
        report.print_table(rows, peer_names)
    seconds = time.monotonic() - started
    print(f"\nBest of {arguments.rounds} rounds, {seconds:.0f} s in all.", end="")
    print(" Quick sizes: not for comparing." if arguments.quick else "")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=2)
            file.write("\n")
    return report.print_verdict(rows, commit, arguments.limit) if arguments.against else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
