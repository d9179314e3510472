#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of the guide's pages about JavaScript print what the pages say.

    guide.test.py GYRE ENGINE PAGE[:FLAG]...
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    gyre, engine = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
    count = failures = 0
    for argument in sys.argv[3:]:
        page, *flags = argument.split(":")
        text = pathlib.Path(page).read_text(encoding="utf-8")
        for program, _, expected in re.findall(r"```js\n(.*?)```\n((?:(?!```).)*)```text\n(.*?)```", text, re.DOTALL):
            count += 1
            with tempfile.NamedTemporaryFile("w", suffix=".mjs") as file:
                file.write(program)
                file.flush()
                done = subprocess.run([gyre, "run", "--engine", engine, *flags, file.name], capture_output=True, text=True, timeout=300, check=False)
            if done.stdout + done.stderr != expected or done.returncode != 0:
                failures += 1
                print(f"{page}:\n{program}prints\n{done.stdout}{done.stderr}not\n{expected}", end="")
    print(f"{count} programs, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
