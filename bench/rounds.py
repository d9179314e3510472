# SPDX-License-Identifier: Apache-2.0
"""Calls the programs that bench/run.py found, round after round, and makes rows of what they print.

A program is called as `PROGRAM --cases a,b,c [--quick]` and prints lines `case<TAB>value`;
`PROGRAM --list` prints the cases it has.
"""

import os
import statistics
import subprocess
import sys

import report

CALL_TIMEOUT_S = 120
# What stands for the rounds of a case: the best, unless the case says otherwise.
PICKS = {"less": min, "more": max, "median": statistics.median}


class Progress:
    """One line on stderr that is written over; without a terminal, one line a round."""

    def __init__(self):
        self.is_shown = sys.stderr.isatty()

    def show(self, text):
        if self.is_shown:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def begin_round(self, text):
        if not self.is_shown:
            self.note(f"bench: {text}")

    def note(self, text):
        self.show("")
        print(text, file=sys.stderr, flush=True)


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


def measure(programs, cases, round_count, is_quick, progress):
    """{program name: {case: [value of each round]}}"""
    values = {program.name: {} for program in programs}
    case_sets = list(dict.fromkeys((case["group"], case["set"]) for case in cases))
    failed = set()
    options = ["--quick"] if is_quick else []
    for round_number in range(1, round_count + 1):
        progress.begin_round(f"round {round_number} of {round_count}")
        for case_set in case_sets:
            names = [c["case"] for c in cases if (c["group"], c["set"]) == case_set]
            for program in programs if round_number % 2 else reversed(programs):
                wanted = [name for name in names if name in program.cases]
                if not wanted or program.group not in (None, case_set[0]):
                    continue
                if (program.name, case_set) in failed:
                    continue
                progress.show(f"round {round_number} of {round_count}: {case_set[1]}: {program.name}")
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
