#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What real applications cost: routes, JSON and a proxy, of gyre and of others, loaded by wrk.

    bench/apps/apps.py BUILD [--rounds N] [--seconds N] [--peer NAMES] [--cores 1|2]

Each server has all three applications (bench/apps/server.cpp says which); those of the others are written as
their documentation would. Processor time of the server in microseconds for a request, the best of the rounds (3),
by turns, and requests a second. With one core wrk and the server share it; with two (--cores 2) each has its
own. All servers have one thread for requests. Behind the proxy is bench_server_gyre on another core. A peer whose library
or tool is missing drops out with one line.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import http_load  # noqa: E402
import http_servers  # noqa: E402
import report  # noqa: E402

PEERS = ["beast", "axum", "go", "fastify"]
APPS = {"routes": "users/42/posts/7", "json": "orders", "proxy": "proxy/plaintext"}
ANSWERS = {
    "routes": b"user 42 post 7",
    "json": b'"total":15033',
    "proxy": b"Hello, World!",
}
CONNECTION_COUNT = 64


def peer_folder(name, build):
    """A copy of the sources, because the tools of these languages write beside them."""
    folder = build / "bench-peers" / f"{name}_apps"
    shutil.copytree(HERE.parent / "peers" / f"{name}_apps", folder, dirs_exist_ok=True)
    return folder


def build_with(words, folder):
    return words[0] is not None and subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode == 0


def find(name, build):
    """The words that start a server, or None."""
    if name in ("gyre", "beast"):
        path = build / "bin" / f"bench_apps_{name}"
        return [str(path)] if path.exists() else None
    folder = peer_folder(name, build)
    if name == "go":
        path = folder / "bench_apps_go"
        return [str(path)] if build_with([shutil.which("go"), "build", "-buildvcs=false", "-o", path, "."], folder) else None
    if name == "axum":
        words = [shutil.which("cargo"), "build", "--release", "--quiet", "--target-dir", folder / "target"]
        return [str(folder / "target" / "release" / "bench_apps_axum")] if build_with(words, folder) else None
    has_packages = (folder / "node_modules" / "fastify").exists()
    node = shutil.which("node")
    if node and (has_packages or build_with([shutil.which("npm"), "install", "--silent"], folder)):
        return [node, str(folder / "main.mjs")]
    return None


class App(http_load.Server):
    """A server of applications; http_load starts it, and tells its processor time."""

    def __init__(self, words, scratch, upstream_port):
        super().__init__("program", words, Place(scratch, http_load.free_port(), str(upstream_port)))


class Place(http_servers.Place):
    """Its second argument is the port of the upstream server in place of a folder."""

    def __init__(self, scratch, port, second):
        super().__init__(scratch, port)
        self.folder = second


def check_answer(app, port):
    """The three applications of all servers answer alike."""
    words = ["curl", "--silent", "--fail", "--max-time", "10", f"http://127.0.0.1:{port}/{APPS[app]}"]
    if app == "json":
        items = '{"customer":"x","items":[{"price":1.5,"count":20},{"price":0.25,"count":12},{"price":15000,"count":1}]}'
        words += ["--header", "Content-Type: application/json", "--data", items]
    done = subprocess.run(words, capture_output=True, check=False)
    if ANSWERS[app] not in done.stdout:
        raise http_load.LoadError(f"{app}: the server answered {done.stdout!r}")


def load(app, port, seconds, core):
    """How many answers of so many seconds."""
    words = ["taskset", "-c", str(core), "wrk", "-t1", f"-c{CONNECTION_COUNT}", f"-d{seconds}s", "--timeout", "20s"]
    words += ["-s", str(HERE / "apps.lua"), f"http://127.0.0.1:{port}/{APPS[app]}", "--", app]
    done = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=http_load.end_with_parent)
    found = re.search(r"^answers (\d+) failures (\d+)$", done.stdout, re.M)
    if done.returncode != 0 or not found:
        raise http_load.LoadError(f"wrk ended with {done.returncode}: {done.stderr.strip()}")
    answer_count, failure_count = map(int, found.groups())
    if answer_count < CONNECTION_COUNT or failure_count > 0:
        raise http_load.LoadError(f"{app}: {failure_count} of {answer_count} requests failed")
    return answer_count


def measure(words, scratch, upstream_port, seconds, wrk_core):
    """{application: (microseconds a request, requests a second)}"""
    found = {}
    with App(words, scratch, upstream_port) as server:
        for app in APPS:
            check_answer(app, server.place.port)
            load(app, server.place.port, 1, wrk_core)
            before = server.used_ns()
            count = load(app, server.place.port, seconds, wrk_core)
            found[app] = ((server.used_ns() - before) / count / 1000, count / seconds)
    return found


def run(servers, rounds, seconds, core_count, build):
    cores = sorted(os.sched_getaffinity(0))
    wrk_core = cores[0] if core_count == 1 else cores[-1]
    best = {name: {} for name in servers}
    with tempfile.TemporaryDirectory(prefix="gyre-bench-") as scratch:
        http_load.make_files(scratch)
        upstream_words = [str(build / "bin" / "bench_server_gyre")]
        os.sched_setaffinity(0, {cores[-1]})
        place = http_servers.Place(scratch, http_load.free_port())
        with http_load.Server("program", upstream_words, place):
            os.sched_setaffinity(0, {cores[0]})
            for _ in range(rounds):
                for name, words in servers.items():
                    for app, (us, rate) in measure(words, scratch, place.port, seconds, wrk_core).items():
                        us_before, rate_before = best[name].get(app, (us, rate))
                        best[name][app] = (min(us, us_before), max(rate, rate_before))
    return best


def main():
    parser = argparse.ArgumentParser(prog="./dev bench apps", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--peer", default=",".join(PEERS))
    parser.add_argument("--cores", type=int, choices=[1, 2], default=1)
    options = parser.parse_args()
    build = options.build.resolve()
    servers = {}
    for name in ["gyre", *filter(None, options.peer.split(","))]:
        words = find(name, build)
        if words is None:
            print(f"bench: {name} not found, its rows drop out (./dev setup bench installs it)", file=sys.stderr)
        else:
            servers[name] = words
    try:
        best = run(servers, options.rounds, options.seconds, options.cores, build)
    except http_load.LoadError as error:
        sys.exit(f"bench: {error}")
    lines = [["application", "of", *servers]]
    for app in APPS:
        lines.append([app, "us a request", *(f"{best[name][app][0]:.1f}" for name in servers)])
        lines.append(["", "requests/s", *(f"{best[name][app][1]:,.0f}" for name in servers)])
    report.print_aligned(lines, {0, 1})


if __name__ == "__main__":
    main()
