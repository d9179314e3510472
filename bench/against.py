# SPDX-License-Identifier: Apache-2.0
"""Measures our programs by turns with those of an earlier commit, the baseline, and judges each row.

A row that looks slower may be noise: it is measured again with more rounds, and only these count for it, because
the earlier ones picked it for being slow.
"""

import baseline
import rounds

# How many times --rounds each pass has; a pass measures the rows that looked slower in the one before.
PASSES = (1, 2, 4)
# Programs print three decimals: a value of 0 is one below this.
RESOLUTION = 0.001


def run(measure, cases, commit, arguments, progress):
    """The rows of the cases, judged. `measure`: called with cases and a number of rounds; `commit`: the name of the
    baseline's programs."""
    rows = {}
    doubtful = cases
    for factor in PASSES:
        if rows:
            progress.note(f"bench: {len(doubtful)} of {len(rows)} rows look slower: measured again")
        rows |= compare(measure, doubtful, commit, arguments.limit, factor * arguments.rounds)
        doubtful = [case for case in doubtful if rows[case["case"]]["verdict"] in ("slower", "unclear")]
        if not doubtful:
            break
    return list(rows.values())


def split(cases, programs, commit, text):
    """The cases of both sides, and the names that only one side has: {side: names}. Of the commit's, which this tree
    may not declare any more, those that contain `text`."""
    here, there = [
        {name for program in programs if program.name == side for name in program.cases}
        for side in ("ours", commit)
    ]
    both = [case for case in cases if case["case"] in here & there]
    if not both:
        baseline.refuse(f"no case is both in this tree and at {commit}")
    only_here = [case["case"] for case in cases if case["case"] in here - there]
    only_there = sorted(name for name in there - here if text in name)
    return both, {"in this tree": only_here, f"at {commit}": only_there}


def compare(measure, cases, commit, limit, round_count):
    """{case: row with a verdict}"""
    values, rows = measure(cases, round_count)
    baseline_rows = rounds.make_rows(cases, {"ours": values[commit]}, [], [])
    return {
        row["case"]: judge(row, baseline_row, limit) | {"rounds": round_count}
        for row, baseline_row in zip(rows, baseline_rows)
    }


def judge(row, baseline_row, limit):
    """The row with the baseline's values, the ratios, and the verdict: `slower` where best and median are more than
    `limit` % slower, `unclear` where one of them is, `failed` where only the baseline has a value."""
    ratios = [ratio(row["better"], row[key], baseline_row[key]) for key in ("ours", "ours_median")]
    slower_count = sum(each is not None and each > 1 + limit / 100 for each in ratios)
    is_failed = row["ours"] is None and baseline_row["ours"] is not None
    return row | {
        "baseline": baseline_row["ours"],
        "baseline_median": baseline_row["ours_median"],
        "ratio": ratios[0],
        "ratio_median": ratios[1],
        "verdict": "failed" if is_failed else ["", "unclear", "slower"][slower_count],
    }


def ratio(better, now, baseline):
    """Above 1: slower, or larger, than the baseline. None where a side has no value."""
    if now is None or baseline is None:
        return None
    now, baseline = max(now, RESOLUTION), max(baseline, RESOLUTION)
    return now / baseline if better == "less" else baseline / now
