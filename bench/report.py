# SPDX-License-Identifier: Apache-2.0
"""Prints what bench/run.py measured: one line a case, ours first, then each peer's best (in cases that
say so, the median of the rounds).

`x best` says how many times better we are than the best peer; below 1.00 we are behind, and the
line is marked.
"""


def format_value(value):
    if value is None:
        return "-"
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}"


# Shown beside the peers, but no rival: it does nothing but what the system asks.
FLOOR = "floor"


def ranked(peers):
    """The values of those that we are compared with."""
    return [value for name, value in peers.items() if name != FLOOR]


def ratio_to_best(row):
    """Above 1: ours is better than every peer's. None where either side is missing."""
    peers = ranked(row["peers"])
    if row["ours"] is None or not peers:
        return None
    if row["better"] == "less":
        best = min(peers)
        return best / row["ours"] if row["ours"] > 0 else None
    best = max(peers)
    return row["ours"] / best if best > 0 else None


def is_goal_met(row):
    if row["better"] == "less":
        return row["ours"] <= row["goal"]
    return row["ours"] >= row["goal"]


def goal_text(row):
    if "goal" not in row:
        return row.get("goal_text", "")
    goal = row["goal"]
    text = f"{goal:,.1f}" if goal < 10 and goal != round(goal) else f"{goal:,.0f}"
    if row["ours"] is None:
        return text
    return f"{text} {'met' if is_goal_met(row) else 'MISSED'}"


def cells_of(row, peer_names):
    ratio = ratio_to_best(row)
    return (
        [row["case"], row["unit"], format_value(row["ours"]), format_value(row["ours_median"])]
        + [format_value(row["peers"].get(name)) for name in peer_names]
        + [
            "-" if ratio is None else f"{ratio:.2f}",
            goal_text(row),
            "behind" if ratio is not None and ratio < 1 else "",
        ]
    )


def print_table(rows, peer_names):
    head = ["case", "unit", "ours", "median", *peer_names, "x best", "goal", ""]
    lines = [head] + [cells_of(row, peer_names) for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    left_aligned = {0, 1, len(head) - 2, len(head) - 1}
    for line in lines:
        cells = [
            cell.ljust(width) if i in left_aligned else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        ]
        print("  ".join(cells).rstrip())


def print_cases(cases):
    width = max(len(case["case"]) for case in cases)
    for case in cases:
        print(f"{case['group']}  {case['case']:<{width}}  {case['unit']:<5}  {case['says']}")
