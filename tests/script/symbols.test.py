#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libnode is used as V8 only: the program refers to no symbol of Node's or libuv's.

    symbols.test.py PROGRAM
"""
import re
import subprocess
import sys


def main():
    def names(*flags):
        listed = subprocess.run(["nm", *flags, sys.argv[1]], capture_output=True, text=True, check=True).stdout
        return {line.split()[-1].split("@")[0] for line in listed.splitlines()}

    # The late binding defines the symbols that it takes from the library.
    taken = names("-D", "--undefined-only") | names("--defined-only")
    if not any(name.startswith("_ZN2v87Isolate") for name in taken):
        print("no symbol of V8 was found: the test looks at the wrong file")
        return 1
    found = sorted(name for name in taken if re.match(r"_ZN[KV]?4node|napi_|uv_", name))
    print("\n".join(found) or f"{len(taken)} symbols, none of Node's or libuv's")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
