#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libnode is used as V8 only: the program refers to no symbol of Node's or libuv's.

    symbols.test.py PROGRAM
"""
import re
import subprocess
import sys


def main():
    listed = subprocess.run(["nm", "-D", "-C", "--undefined-only", sys.argv[1]], capture_output=True, text=True, check=True).stdout
    names = [line.split(maxsplit=1)[-1] for line in listed.splitlines()]
    if not any("v8::Isolate" in name for name in names):
        print("no symbol of V8 was found: the test looks at the wrong file")
        return 1
    found = [name for name in names if re.search(r"\bnode::|\bnapi_|\bU? ?uv_", name)]
    print("\n".join(found) or f"{len(names)} symbols, none of Node's or libuv's")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
