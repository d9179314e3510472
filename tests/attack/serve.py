# SPDX-License-Identifier: Apache-2.0
"""./dev attack serve [MINUTES | --short]: attacks gyre serve on loopback, and compares what is promised with what was seen.

    serve.py PROGRAM [MINUTES | --short]

Without MINUTES one minute; --short takes about 20 seconds, for ./dev ci. Exit status 1: a promise was broken."""

import resource
import sys
import tempfile
import textwrap
import time

from serving.attacks import ATTACKS, TLS_ATTACKS, Stage
from serving.server import make_certificate, make_folder

SHORT_S = 0.5  # of each attack; their own starts and ends come on top
CROWD_SHORT = 150
CROWD = 400
DESCRIPTORS = 4096


def arguments():
    """The program, and the seconds and connections of each attack."""
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    if sys.argv[2:] == ["--short"]:
        return sys.argv[1], SHORT_S, CROWD_SHORT
    try:
        minutes = float(sys.argv[2]) if len(sys.argv) == 3 else 1.0
    except ValueError:
        minutes = 0.0
    if not 0 < minutes <= 600:
        print(f"attack: '{sys.argv[2]}' is not a number of minutes up to 600", file=sys.stderr)
        sys.exit(2)
    return sys.argv[1], minutes * 60 / (len(ATTACKS) + len(TLS_ATTACKS)), CROWD


def main():
    program, seconds, crowd = arguments()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < DESCRIPTORS:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(DESCRIPTORS, hard), hard))
    broken = 0
    with tempfile.TemporaryDirectory(prefix="gyre-attack-") as root:
        tls = make_certificate(root)
        stage = Stage(program, root, make_folder(root), tls, seconds, crowd)
        begun = time.monotonic()
        for name, promise, attack in ATTACKS + (TLS_ATTACKS if tls else []):
            try:
                holds, seen = attack(stage)
            except Exception as error:  # pylint: disable=broad-except
                holds, seen = False, f"{type(error).__name__}: {error}"
            broken += not holds
            print(f"{'kept  ' if holds else 'BROKEN'}  {name:24}  promised: {promise}")
            print(textwrap.fill(seen, 110, initial_indent=" " * 34 + "seen: ", subsequent_indent=" " * 40), flush=True)
        if not tls:
            print("        TLS was not attacked: no program openssl")
    print(f"attack serve: {'all promises kept' if not broken else f'{broken} promises broken'}, {time.monotonic() - begun:.0f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
