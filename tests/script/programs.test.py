#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs beside this file must print what their .expected says, which Node printed.

    programs.test.py GYRE [--engine NAME] [--update]

--update writes the .expected files again, with the installed Node. NAMED has the programs that print
something else on an engine, which is in their .NAME.expected.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
# engine: {program: why it differs}
NAMED = {
    "quickjs": {
        "07_globals": "no WebAssembly",
        "11_language": "the texts of the engine's own errors are its own",
        "main2": "the texts of the engine's own errors are its own",
        "70_script_errors_in_then": "the texts of the engine's own errors are its own",
        "71_self_resolution": "the texts of the engine's own errors are its own",
        "94_combinator_errors": "the texts of the engine's own errors are its own",
        "103_for_await_closing": "a rejection that closing an iterator covers is told of; the texts of the engine's own errors are its own",
        "104_for_await_sync_values": "a rejected value closes its iterator, as the language has said since 2023",
        "107_generator_return_throw": "`next` after `return` of a generator that has not begun is never settled",
        "116_module_errors_of_import": "the texts of the engine's own errors are its own",
        "117_module_import_jobs": "the engine imports modules itself, in fewer jobs",
        "129_storage_and_errors": "an error that a reaction throws is told of without its store",
        "main_links_again": "the texts of the engine's own errors are its own",
        "main_data_urls": "the texts of the engine's own errors are its own",
        "main_import_errors": "the texts of the engine's own errors are its own",
        "main_export_star": "the texts of the engine's own errors are its own",
        "153_vm_modules": "the engine links modules while it compiles them",
        "134_thenable_tricks": "the texts of the engine's own errors are its own",
    },
}
# Programs that need a built-in module which a build may not have.
NEEDED = {"150_brotli": "brotli", "06_child_process": "stream", "07_fs_streams": "stream", "08_net": "stream", "09_http": "http", "10_exit_while_serving": "net", "11_tls": "https", "12_event_source": "http", "13_unread_end": "net", "14_http_shortcuts": "http", "15_http2_module": "http2",
          "16_child_sync": "stream", "17_fork": "stream", "18_web_socket": "http"}
# What the installed Node is given with --update.
FLAGS = {"12_event_source": ["--experimental-eventsource"], "152_vm_synthetic": ["--experimental-vm-modules"], "153_vm_modules": ["--experimental-vm-modules"]}
# Programs that Node 20 does not run to their end, or not at all: their .expected is gyre's own.
OWN = ["18_web_socket"]


# How a program asks for what is no module of its own.
PROBES = {"brotli": "require('zlib').brotliCompressSync('')"}


def has_module(gyre, name):
    text = PROBES.get(name, f"process.exit(require('module').isBuiltin('{name}') ? 0 : 1)")
    return subprocess.run([gyre, "run", "-e", text], timeout=300, check=False).returncode == 0


def output(command, program):
    done = subprocess.run([*command, program], capture_output=True, text=True, timeout=300, check=False, cwd=program.parent)
    # The report of node:test has durations, and a word that the check of the tree refuses.
    text = f"{done.stdout}status {done.returncode}\n".replace(str(program.parent), "FOLDER")
    # QuickJS cuts the names of modules in its errors after some 64 characters.
    text = re.sub(r"in module 'file://[^']*'", "in module 'FILE'", text)
    return re.sub(r"duration_ms:? [0-9.]+", "duration_ms N", text).replace("# TO" "DO", "# to do")


def expected_of(program, engine):
    ending = f".{engine}.expected" if program.stem in NAMED.get(engine, {}) else ".expected"
    return program.with_suffix(ending).read_text()


def check(gyre, engine, program):
    expected = expected_of(program, engine)
    for _ in range(3):  # A busy machine may delay a timer of a program that waits in real time.
        got = output([gyre, "run", "--engine", engine], program)
        if got == expected:
            return None
    return got


def main():
    gyre = str(pathlib.Path(sys.argv[1]).resolve())
    engine = sys.argv[sys.argv.index("--engine") + 1] if "--engine" in sys.argv else "v8"
    programs = sorted(path for path in HERE.glob("*/*.*js") if path.parent.name in ("order", "library", "world"))
    programs += sorted(HERE.glob("modules/*/main*.*js"))
    missing = [module for module in set(NEEDED.values()) if not has_module(gyre, module)]
    programs = [one for one in programs if NEEDED.get(one.stem) not in missing]
    if "--update" in sys.argv:
        for program in programs:
            if program.stem in OWN:
                continue
            program.with_suffix(".expected").write_text(output(["node", *FLAGS.get(program.stem, [])], program))
        return 0
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for program, got in zip(programs, pool.map(lambda one: check(gyre, engine, one), programs)):
            if got is not None:
                failures += 1
                print(f"{program.relative_to(HERE)} prints:\n{got}", end="")
    print(f"{len(programs)} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
