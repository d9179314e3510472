#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation as one static site: the guide, the API reference from the public headers, the examples,
the architecture and the decisions. Checks every link of the site and of the Markdown files in the tree.

    ./dev docs [--output FOLDER] [--check] [ROOT]

Exit status 1: a link leads nowhere; each is a line. Needs Python only, and no network.
"""

import argparse
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from links import broken_markdown_links, broken_site_links
from site_builder import Site
from tree_files import read_tree

MARK = ".made-by-dev-docs"


def write(pages, folder):
    """Replaces the site in the folder; a folder with other files in it is refused."""
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        sys.exit(f"docs: {folder} has files that ./dev docs did not write: name an empty folder with --output")
    if folder.exists():
        shutil.rmtree(folder)
    for address, text in pages.items():
        place = folder / address
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    (folder / MARK).touch()


def main():
    here = Path(__file__).resolve().parent.parent.parent
    parser = argparse.ArgumentParser(prog="./dev docs", description=__doc__.split("\n\n")[0])
    parser.add_argument("root", nargs="?", type=Path, default=here, help="the tree; default: this repository")
    parser.add_argument("--output", type=Path, help="where the site goes; default: build/docs")
    parser.add_argument("--check", action="store_true", help="only check the links, write nothing")
    options = parser.parse_args()
    root = options.root.resolve()
    files = read_tree(root)
    site = Site(files)
    pages = site.build()
    if not options.check:
        output = options.output or root / "build/docs"
        write(pages, output)
        print(f"docs: {output}/index.html and {len(pages) - 1} other files")
    broken = [*broken_markdown_links(files), *broken_site_links(pages, site.index)]
    for line in broken:
        print(line, file=sys.stderr)
    if broken:
        sys.exit(f"docs: {len(broken)} broken links, named above: correct them, or the pages that they lead to")
    print(f"docs: all links of {len(pages)} files lead somewhere")


if __name__ == "__main__":
    main()
