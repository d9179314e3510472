# SPDX-License-Identifier: Apache-2.0
"""Finds the programs that bench/run.py calls, and builds the peers that CMake does not.

The rows of a group may be spread over several programs: bench_<group> and bench_<group>_<part>.
Go and Rust peers are built under <build folder>/bench-peers when their tools are there, Node's is
run as it stands. A peer that cannot be had drops out with one line.
"""

import glob
import os
import shutil
import subprocess
import sys

import http_servers

BENCH_DIR = os.path.dirname(os.path.abspath(__file__))
SOURCE_DIR = os.path.join(BENCH_DIR, "peers")


class Program:
    """One program to call. Group None: it holds cases of any group."""

    def __init__(self, name, command, group):
        self.name = name
        self.command = command
        self.group = group
        self.cases = set()


def built(build_dir, name):
    """The program of that name and its parts."""
    path = os.path.join(build_dir, "bin", name)
    return [each for each in [path, *sorted(glob.glob(path + "_*"))] if os.path.exists(each)]


def find_own(build_dir, groups, progress):
    programs = []
    for group in groups:
        found = built(build_dir, f"bench_{group}")
        programs += [Program("ours", [path], group) for path in found]
        if not found:
            path = os.path.join(build_dir, "bin", f"bench_{group}")
            progress.note(f"bench: {path} is not built (./dev build), its rows drop out")
    return programs


def has_wrk(progress):
    if shutil.which("wrk") is None:
        progress.note("bench: wrk not found, no server is loaded (./dev setup bench installs it)")
        return False
    return True


def find_servers(build_dir, names, progress):
    """What measures the servers of the group http with wrk, each by a program of its own."""
    driver = [sys.executable, os.path.join(BENCH_DIR, "http_load.py")]
    programs = []
    for name in names:
        kind, command, reason = http_servers.find(
            name, build_dir, lambda words, folder, who: build(words, folder, progress, who)
        )
        if command:
            programs.append(Program(name, driver + [kind] + command, "http"))
        else:
            note_missing(name, reason, progress)
    return programs


def note_missing(name, reason, progress):
    progress.note(f"bench: {name} {reason}, its rows drop out (./dev setup bench installs it)")


def find_peers(build_dir, wanted, progress):
    """`wanted`: the names of the peers of each group."""
    programs = []
    others = {group: names for group, names in wanted.items() if group != "http"}
    for name in dict.fromkeys(name for names in others.values() for name in names):
        found = [
            Program(name, [path], group)
            for group in others
            for path in built(build_dir, f"bench_peer_{name}_{group}")
        ]
        if name in MAKERS:
            command, reason = MAKERS[name](build_dir, progress)
            found = [Program(name, command, None)] if command else []
        else:
            reason = "not found"
        if not found:
            note_missing(name, reason, progress)
        programs += found
    return programs


def build(command, folder, progress, name):
    """None, or why the build failed, in one line."""
    progress.show(f"building the peer {name}")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    errors = [line for line in done.stderr.splitlines() if "error" in line.lower()]
    return f"cannot be built ({(errors or ['no message'])[0].strip()})"


def make_node(_build_dir, _progress):
    node = shutil.which("node")
    if node is None:
        return None, "not found"
    return [node, os.path.join(SOURCE_DIR, "node.mjs")], ""


def make_asyncpg(_build_dir, _progress):
    # The system's Python, whose package it is.
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import asyncpg"], capture_output=True, check=False).returncode != 0:
        return None, "not found"
    return [python, "-B", os.path.join(SOURCE_DIR, "asyncpg_db.py")], ""


def make_go(build_dir, progress):
    go = shutil.which("go")
    if go is None:
        return None, "not found"
    path = os.path.join(build_dir, "bench-peers", "go", "bench_peer_go")
    command = [go, "build", "-buildvcs=false", "-o", path, "."]
    reason = build(command, os.path.join(SOURCE_DIR, "go"), progress, "go")
    return (None, reason) if reason else ([path], "")


def make_tokio(build_dir, progress):
    cargo = shutil.which("cargo")
    if cargo is None:
        return None, "not found"
    # A copy, because cargo writes its lock file beside the manifest.
    folder = os.path.join(build_dir, "bench-peers", "tokio")
    shutil.copytree(os.path.join(SOURCE_DIR, "tokio"), folder, dirs_exist_ok=True)
    target = os.path.join(folder, "target")
    command = [cargo, "build", "--release", "--quiet", "--target-dir", target]
    reason = build(command, folder, progress, "tokio")
    path = os.path.join(target, "release", "bench_peer_tokio")
    return (None, reason) if reason else ([path], "")


MAKERS = {"asyncpg": make_asyncpg, "node": make_node, "go": make_go, "tokio": make_tokio}
