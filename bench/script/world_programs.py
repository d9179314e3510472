#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that read files, fetch and load modules, on gyre's engines and on Node, by turns.

    bench/script/world_programs.py GYRE [ROUNDS]

Milliseconds of processor time of the process, of all its threads, from start to end, and the ratio to that of Node. The least of
the rounds.
"""
import pathlib
import shutil
import sys
import tempfile

from compare import has_engine, processor_of

HERE = pathlib.Path(__file__).parent
MODULE_COUNT = 100
PROGRAMS = {
    "files": "20,000 files of 4 KiB read by fs.promises, 16 at a time",
    "fetch1": "10,000 fetches from a server in the same process, one after the other",
    "fetch16": "10,000 fetches from a server in the same process, 16 at a time",
    "commonjs": f"a program of {MODULE_COUNT} CommonJS modules, from start to end",
    "modules": f"a program of {MODULE_COUNT} ES modules, from start to end",
}


def write_modules(folder, suffix, line):
    """A main program and modules of some functions each; the first one's path."""
    for i in range(MODULE_COUNT):
        body = "".join(f"function f{k}(value) {{ return value + {k}; }}\n" for k in range(20))
        exports = "exports.f1 = f1;" if suffix == ".js" else "export { f1 };"
        (folder / f"part{i}{suffix}").write_text(f"{body}{exports}\n")
    loads = "".join(line.format(i=i) + "\n" for i in range(MODULE_COUNT))
    calls = " + ".join(f"f{i}(1)" for i in range(MODULE_COUNT))
    main = folder / f"main{suffix}"
    main.write_text(f"{loads}if ({calls} !== {2 * MODULE_COUNT}) throw new Error('a wrong sum');\n")
    return main


def main():
    gyre = sys.argv[1]
    rounds = next((int(word) for word in sys.argv[2:] if word.isdigit()), 3)
    if not shutil.which("node"):
        print("script-http: programs are left out, node is not installed (./dev setup bench)")
        return 0
    commands = {"node": ["node"]}
    commands |= {f"gyre {name}": [gyre, "run", "--engine", name] for name in ("v8", "quickjs") if has_engine(gyre, name)}
    with tempfile.TemporaryDirectory(prefix="gyre-bench-") as scratch:
        folder = pathlib.Path(scratch)
        words = {name: [HERE / "world.js", name] for name in ("files", "fetch1", "fetch16")}
        words["commonjs"] = [write_modules(folder, ".js", "const {{ f1: f{i} }} = require('./part{i}.js');")]
        words["modules"] = [write_modules(folder, ".mjs", "import {{ f1 as f{i} }} from './part{i}.mjs';")]
        for program, what in PROGRAMS.items():
            best = {name: float("inf") for name in commands}
            for _ in range(rounds):
                for name, command in commands.items():
                    best[name] = min(best[name], processor_of([*command, *words[program]]))
            row = ", ".join(f"{name} {value:.0f} ms ({value / best['node']:.2f})" for name, value in best.items())
            print(f"{program:9} {row}: {what}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
