# SPDX-License-Identifier: Apache-2.0
"""Prints what bench/run.py measured: one line a case, ours first, then each peer's best (in cases that
say so, the median of the rounds).

`x best` says how many times better we are than the best peer; below 1.00 we are behind, and the
line is marked.

The ratio of a comparison with a baseline is the other way round: above 1.000 we are slower, or larger, than it was.
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


def with_values(rows, peer_names):
    return [name for name in peer_names if any(name in row["peers"] for row in rows)]


def print_table(rows, peer_names):
    peer_names = with_values(rows, peer_names)
    head = ["case", "unit", "ours", "median", *peer_names, "x best", "goal", ""]
    lines = [head] + [cells_of(row, peer_names) for row in rows]
    print_aligned(lines, {0, 1, len(head) - 2, len(head) - 1})


def print_comparison(rows, baseline, peer_names):
    """Rows of bench/against.py: ours and the baseline's, each best and median, and the ratios of both."""
    peer_names = with_values(rows, peer_names)
    head = ["case", "unit", "ours", "median", baseline, "median", "ratio", "median", *peer_names, "rounds", ""]
    lines = [head]
    for row in rows:
        values = [row[key] for key in ("ours", "ours_median", "baseline", "baseline_median")]
        ratios = [row["ratio"], row["ratio_median"]]
        lines.append(
            [row["case"], row["unit"]]
            + [format_value(value) for value in values]
            + ["-" if ratio is None else f"{ratio:.3f}" for ratio in ratios]
            + [format_value(row["peers"].get(name)) for name in peer_names]
            + [str(row["rounds"]), row["verdict"]]
        )
    print_aligned(lines, {0, 1, len(head) - 1})


def print_one_sided(names_by_side):
    for side, names in names_by_side.items():
        if names:
            print(f"Only {side}: {', '.join(names)}.")


def print_verdict(rows, baseline, limit):
    """Returns the exit status: 1 where a row is slower, or has lost its value."""
    slower = [row["case"] for row in rows if row["verdict"] == "slower"]
    failed = [row["case"] for row in rows if row["verdict"] == "failed"]
    print(f"More than {limit:g} % slower than {baseline}: {', '.join(slower) or 'no row'}.")
    if failed:
        print(f"Without a value in this tree: {', '.join(failed)}.")
    return 1 if slower or failed else 0


def print_aligned(lines, left_aligned):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
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
