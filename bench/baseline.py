# SPDX-License-Identifier: Apache-2.0
"""Builds gyre's own benchmark programs of an earlier commit, the baseline, and of this tree.

The commit's files are extracted to build/against/<hash> and built there by their own CMake files, with this tree's
compiler. A folder that is there is used again; the KEPT_COUNT used last are kept, the others are removed. Neither
side needs a peer's library.
"""

import os
import re
import shutil
import subprocess
import sys

BENCH_DIR = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(BENCH_DIR)
FOLDER = os.path.join(ROOT, "build", "against")
HASH_LENGTH = 10
KEPT_COUNT = 3
CANNOT_COMPARE = 2  # The exit status; 1 says that a row is slower.
NOT_NEEDED = ["GYRE_TESTS", "GYRE_EXAMPLES", "GYRE_CLI", "GYRE_INSTALL"]
# By group: programs that its cases need besides those named after the group.
HELPERS = {"io": ["bench_echo_client"], "http": ["bench_server_gyre"]}


def refuse(reason):
    print(f"bench: {reason}", file=sys.stderr)
    sys.exit(CANNOT_COMPARE)


def resolve(commit):
    command = ["git", "rev-parse", "--verify", "--quiet", commit + "^{commit}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        refuse(f"git knows no commit '{commit}'")
    return done.stdout.strip()[:HASH_LENGTH]


def prepare(name, build_dir, groups, peers, progress):
    """Builds the programs of those groups, of this tree in `build_dir` (with those of the peers asked for) and of
    the baseline `name`. Returns the baseline's build folder."""
    folder = os.path.join(FOLDER, name)
    if not os.path.isdir(folder):
        extract(name, folder)
    os.utime(folder)
    remove_unused(progress)
    baseline_dir = os.path.join(folder, "build", "release")
    options = [f"-D{option}=OFF" for option in NOT_NEEDED]
    options += ["-DGYRE_BENCH=ON", f"-DCMAKE_CXX_COMPILER={compiler_of(build_dir)}"]
    step(f"configuring {name}", ["cmake", "--preset", "release", *options], folder, progress)
    build(name, baseline_dir, groups, [], progress)
    build("this tree", build_dir, groups, peers, progress)
    return baseline_dir


def extract(name, folder):
    # Under another name until it is whole: an interrupted run leaves nothing that looks like a tree.
    partial = folder + ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    os.makedirs(partial)
    archive = subprocess.run(["git", "archive", name], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    subprocess.run(["tar", "-x", "-C", partial], input=archive.stdout, check=True)
    os.rename(partial, folder)


def remove_unused(progress):
    folders = sorted(os.scandir(FOLDER), key=lambda entry: entry.stat().st_mtime, reverse=True)
    for entry in folders[KEPT_COUNT:]:
        progress.note(f"bench: removing {entry.path}: not among the {KEPT_COUNT} used last")
        shutil.rmtree(entry.path)


def compiler_of(build_dir):
    cache = os.path.join(build_dir, "CMakeCache.txt")
    if not os.path.exists(cache):
        refuse(f"{build_dir} is not configured")
    with open(cache, encoding="utf-8") as file:
        return re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", file.read(), re.M).group(1)


def build(whose, build_dir, groups, peers, progress):
    helped = subprocess.run(
        ["cmake", "--build", build_dir, "--target", "help"], capture_output=True, text=True, check=False
    )
    targets = needed(re.findall(r"^(bench_\w+):", helped.stdout, re.M), groups, peers)
    if targets:
        jobs = os.environ.get("GYRE_JOBS") or str(os.cpu_count())
        command = ["cmake", "--build", build_dir, "-j", jobs, "--target", *targets]
        step(f"building {', '.join(targets)} of {whose}", command, ROOT, progress)


def needed(targets, groups, peers):
    """Those of the targets that the groups need; of the peers' programs only those asked for."""
    patterns = [f"bench_{group}(_.*)?" for group in groups]
    patterns += [helper for group in groups for helper in HELPERS.get(group, [])]
    patterns += [f"bench_(peer_{peer}_.*|server_{peer})" for peer in peers]
    return [target for target in targets if re.fullmatch("|".join(patterns), target)]


def step(text, command, folder, progress):
    """On a terminal the command shows its own progress; elsewhere its output appears only where it fails."""
    progress.note(f"bench: {text}")
    output = {} if progress.is_shown else {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, text=True, check=False, **output)
    if done.returncode != 0:
        print("\n".join((done.stdout or "").splitlines()[-40:]), file=sys.stderr)
        refuse(f"{text} failed")
