#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what growth.py found, read as JSON from standard input: FOLDER/growth.png and growth.svg."""
import json
import pathlib
import sys

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402

COLORS = {"ours": "#1f5fa8", "libuv": "#c0561f", "asio": "#3a8f4d", "go": "#7a4fa3"}
COLUMNS = 4


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    found = json.load(sys.stdin)
    row_count = -(-len(found) // COLUMNS)
    figure, axes = pyplot.subplots(row_count, COLUMNS, figsize=(4 * COLUMNS, 2.8 * row_count), squeeze=False)
    for place in axes.flat[len(found):]:
        place.axis("off")
    for place, (subject, programs) in zip(axes.flat, found.items()):
        for name, values in programs.items():
            points = sorted((int(count), ns) for count, ns in values["ns"].items())
            if points:
                place.plot(*zip(*points), marker="o", markersize=3, color=COLORS.get(name, "gray"), label=name)
        place.set(title=subject, xscale="log", yscale="log", xlabel="items", ylabel="ns an operation")
        low, high = place.get_ylim()
        place.set_ylim(min(low, high / 20), high)  # Noise must not look like growth.
        place.grid(True, which="major", alpha=0.3)
        place.legend(fontsize=7)
    figure.tight_layout()
    for ending in ("png", "svg"):
        figure.savefig(folder / f"growth.{ending}", dpi=110)


if __name__ == "__main__":
    main()
