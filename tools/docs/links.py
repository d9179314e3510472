# SPDX-License-Identifier: Apache-2.0
"""Checks links: those of the site's pages, and those of the Markdown files in the tree."""

import posixpath
import re
from html import unescape

from prose import FENCE, INLINE, anchor_of
from tree_files import line_at

ATTRIBUTE = re.compile(r'\s(id|href|src)="([^"]*)"')
EXTERNAL = re.compile(r"[a-z]+:")
# History keeps the names of its time.
HISTORY = re.compile(r"CHANGELOG\.md|docs/decisions/")
PATH = re.compile(r"(gyre|lang|cli|docs|examples|tools|tests|bench|cmake)/[\w./-]+\.(cpp|hpp|md|py|sh|txt|cmake|js)")


def broken_site_links(pages, index):
    """`page: link: reason` for each link of the pages (address to text) and of the search index that leads nowhere."""
    found = {address: ATTRIBUTE.findall(text) for address, text in pages.items() if address.endswith(".html")}
    idents = {address: [value for name, value in pairs if name == "id"] for address, pairs in found.items()}
    anchors = {address: set(idents.get(address, ())) for address in pages}
    for address, values in idents.items():
        for ident in anchors[address] if len(values) > len(anchors[address]) else ():
            if values.count(ident) > 1:
                yield f"{address}: two elements have the id '{ident}'"
    links = [(address, value) for address, pairs in found.items() for name, value in pairs if name != "id"]
    links += [("search-index.js", address) for _, _, address, _ in index]
    for address, target in dict.fromkeys(links):
        reason = check(unescape(target), address, pages, anchors)
        if reason:
            yield f"{address}: {target}: {reason}"


def check(target, address, pages, anchors):
    if EXTERNAL.match(target):
        return None
    path, _, anchor = target.partition("#")
    page = posixpath.normpath(posixpath.join(posixpath.dirname(address), path)) if path else address
    if page not in pages:
        return "there is no page"
    return f"that page has no anchor '{anchor}'" if anchor and anchor not in anchors[page] else None


def broken_markdown_links(files):
    """`file:line: link: reason` for the Markdown files: relative links, and paths in code spans."""
    markdown = {file.path: file for file in files if file.path.endswith(".md")}
    known = {file.path for file in files}
    known |= {path[: mark.start()] for path in known for mark in re.finditer("/", path)}  # folders
    anchors = {path: headings(file.text) for path, file in markdown.items()}
    for path, file in sorted(markdown.items()):
        for line, match in elements(file.text):
            reason = check_element(match, path, known, anchors)
            if reason:
                yield f"{path}:{line}: {match['to'] or match['code']}: {reason}"


def check_element(match, path, known, anchors):
    if match["code"]:
        is_stale = PATH.fullmatch(match["code"]) and match["code"] not in known and not HISTORY.match(path)
        return "the tree has no such file" if is_stale else None
    target, _, anchor = match["to"].partition("#")
    if EXTERNAL.match(match["to"]):
        return None
    file = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
    if file not in known:
        return "the tree has no such file"
    return f"that file has no heading '{anchor}'" if anchor and anchor not in anchors.get(file, ()) else None


def without_fences(text):
    """The lines of the text, those of fenced code emptied."""
    lines = text.split("\n")
    is_code = False
    for place, line in enumerate(lines):
        is_fence = bool(FENCE.match(line))
        if is_fence or is_code:
            lines[place] = ""
        is_code = is_code != is_fence
    return lines


def elements(text):
    """(line, match) of the links and the code spans, which may go on in the next line of a paragraph."""
    shown = "\n".join(without_fences(text))
    for paragraph in re.finditer(r"(?:[^\n]+\n?)+", shown):
        for match in INLINE.finditer(paragraph[0]):
            if match["to"] or match["code"]:
                yield line_at(shown, paragraph.start() + match.start()), match


def headings(text):
    taken = {}
    return {anchor_of(line.lstrip("#").strip(), taken) for line in without_fences(text) if re.match(r"#{1,6} ", line)}
