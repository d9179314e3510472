# SPDX-License-Identifier: Apache-2.0
"""What the text of an example says about itself: how it is run, what it prints, and its regions that
documents quote. Reads text only."""

import re

COMMAND = re.compile(r"^//     \$ (.+)$")
QUOTED = re.compile(r"^//(?:     (.*))?$")


def head_of(source):
    """The lines of the comment that opens the file."""
    lines = []
    for line in source.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line)
    return lines


def promised_run(source):
    """(command, output) as the head comment has them: `//     $ command`, then what it prints."""
    lines = head_of(source)
    starts = [place for place, line in enumerate(lines) if COMMAND.match(line)]
    if len(starts) != 1:
        raise ValueError(f"the head comment shows {len(starts)} runs ('//     $ command'): show one")
    output = []
    for line in lines[starts[0] + 1 :]:
        quoted = QUOTED.match(line)
        if quoted is None:
            break
        output.append(quoted[1] or "")
    while output and not output[-1]:
        output.pop()
    if not output:
        raise ValueError("the head comment does not say what the example prints")
    return COMMAND.match(lines[starts[0]])[1], "".join(line + "\n" for line in output)


def region(source, name):
    """The text between `// [name]` and `// [/name]`."""
    match = re.search(rf"^// \[{name}\]\n(.*?)^// \[/{name}\]$", source, re.MULTILINE | re.DOTALL)
    if match is None:
        raise ValueError(f"there is no region // [{name}] … // [/{name}]")
    return match[1]
