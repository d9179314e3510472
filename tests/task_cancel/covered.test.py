# SPDX-License-Identifier: Apache-2.0
"""Every public awaitable of the modules below has a program in rows.cpp that is cancelled at each of its steps.

A name is awaitable if it is a class with an await_in, an enum that a function await_in takes, a class derived from IoAwaitable or
with members that give a Future, or a function that gives a Future; a header without any such name is asked for under its own name,
as a function or a class. What users do not await themselves stands in MACHINERY, by header, or by name with the reason."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = [ROOT / "gyre" / name for name in ("task", "fs", "net", "process", "tls", "db")]
ACTOR = ROOT / "gyre" / "actor"

# Headers of which nothing is awaited.
MACHINERY_HEADERS = {
    "async.hpp",
    "await_temporary.hpp",
    "blocking_watch.hpp",
    "byte_stream.hpp",
    "cancel.hpp",
    "context.hpp",
    "coroutine.hpp",
    "engine.hpp",
    "errors.hpp",
    "executor.hpp",
    "frame_pool.hpp",
    "gather.hpp",
    "hosts.hpp",
    "ip_text.hpp",
    "op_await.hpp",
    "outside_wait.hpp",
    "plain_frames.hpp",
    "outcome.hpp",
    "poll.hpp",
    "executor_message.hpp",
    "value.hpp",
    "statement_text.hpp",
    "row.hpp",
    "error.hpp",
    "members.hpp",
    "limits.hpp",
    "encryption.hpp",
    "cell.hpp",
    "run.hpp",
    "socket.hpp",
    "suspension.hpp",
    "task_report.hpp",
    "wait_room.hpp",
}
# Names that users reach through others.
MACHINERY_NAMES = {
    "FuturePromise",  # the inside of Future
    "AwaitOutcome",  # Promise::settle_as
    "CallBlock",  # Scope::spawn
    "ChainsLikeFuture",  # the chains of Ready and SharedFuture
    "map_future",  # Future::map
    "flat_map_future",  # Future::flat_map
    "catch_in_future",  # Future::catch_error
    "first_good",  # Future::or_
    "all_in_tuple",  # all
    "all_of_range",  # all
    "all_settled_in_tuple",  # all_settled
    "all_settled_of_range",  # all_settled
    "race_of_range",  # race
    "any_of_range",  # any
    "array_of_futures",  # race and any
    "select_in_tuple",  # select
    "await_kept",  # as_future
    "await_moved",  # as_future
    "with_scope_of",  # with_scope
    "settle_and_report",  # keep_running
    "keep_future_running",  # keep_running
    "TriedInPlace",  # try_
    "SharedSource",  # share
    "collect_all",  # Stream::collect
    "for_each_of",  # Stream::for_each
    "alarm_at",  # timeout
    "within",  # timeout and deadline
    "LinkStatements",  # Connection and Transaction
}
# What of actors is not awaited by users.
ACTOR_MACHINERY = {
    "Actor",  # its timers
    "Cell",  # the wait before a restart
    "ActorHost",  # the task that runs actors
    "System",  # a report, by `on`
    "with_actors_of",  # with_actors
}

# Nothing nested: clang-format puts what stands in the namespace into the first column.
CLASS = re.compile(r"^(?:class|struct)\s+(?:\[\[[^\]]*\]\]\s+)?(\w+)([^;{]*)\{(.*?)^\};", re.M | re.S)
ENUM = re.compile(r"\bawait_in\((\w+) \w+, PromiseBase&")
GIVES_FUTURE = re.compile(r"\bFuture<[^;={}()]*>\s+\w+\(|->\s*Future<|operator Future<")
FUNCTION = re.compile(
    r"^(?:\[\[nodiscard\]\]\s*)?(?:inline\s+)?(?:Future<[^;={}()]*>|auto)\s+(\w+)\(([^;{]*)[;{]", re.M
)


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def awaitables(text):
    text = without_comments(text)
    names = {
        name
        for name, bases, body in CLASS.findall(text)
        if "await_in(" in body or "public IoAwaitable<" in bases or GIVES_FUTURE.search(body)
    }
    outside = CLASS.sub("", text)
    names.update(ENUM.findall(outside))
    for match in FUNCTION.finditer(outside):
        whole = match.group(0)
        if whole.lstrip("[nodiscard] ").startswith("auto") and not re.search(r"->\s*(Future<|std::invoke_result)", whole):
            continue
        names.add(match.group(1))
    return names - MACHINERY_NAMES


def wanted(path):
    if path.name in MACHINERY_HEADERS or ".test." in path.name:
        return set()
    text = path.read_text(encoding="utf-8")
    names = awaitables(text)
    if names or "The end of" in text[:200]:
        return names
    if re.search(rf"\b{path.stem}\(", without_comments(text)):
        return {path.stem}
    return {"".join(part.capitalize() for part in path.stem.split("_"))}


def headers():
    found = (path for folder in FOLDERS for path in folder.rglob("*.hpp"))
    return sorted(path for path in found if "internal" not in path.parts)


def covered():
    tables = sorted((ROOT / "tests" / "task_cancel").glob("*rows.cpp"))
    rows = "".join(table.read_text(encoding="utf-8") for table in tables)
    return {name for row in re.findall(r"\{\"\w+\",\s*\{([^}]*)\}", rows) for name in re.findall(r'"(\w+)"', row)}


class Covered(unittest.TestCase):
    def test_every_public_awaitable_has_a_row(self):
        known = covered()
        missing = [
            f"{path.relative_to(ROOT)}: {name} has no row in tests/task_cancel/rows.cpp"
            for path in headers()
            for name in sorted(wanted(path) - known)
        ]
        missing += [
            f"{path.relative_to(ROOT)}: {name} has no row in tests/task_cancel/actor_rows.cpp"
            for path in sorted(ACTOR.glob("*.hpp"))
            if ".test." not in path.name
            for name in sorted(awaitables(path.read_text(encoding="utf-8")) - known - ACTOR_MACHINERY)
        ]
        self.assertEqual(missing, [], "\n" + "\n".join(missing))

    def test_a_row_names_what_there_is(self):
        text = "\n".join(path.read_text(encoding="utf-8") for path in [*headers(), *ACTOR.glob("*.hpp")])
        unknown = [name for name in covered() if not re.search(rf"\b{name}\b", text)]
        self.assertEqual(unknown, [])

    def test_awaitables_are_found(self):
        text = (
            "class [[nodiscard]] Nap {\npublic:\n    auto await_in(PromiseBase& p) const;\n};\n"
            "class Clock {\n    [[nodiscard]] Future<Instant> next();\n};\n"
            "inline NapAwait await_in(Pause length, PromiseBase& promise) {\n}\n"
            "class Plain {\n    int x;\n};\n"
            "class [[nodiscard]] Read : public IoAwaitable<Read, int> {\n    int x;\n};\n"
            "template <class T>\n[[nodiscard]] Future<T> timeout(Future<T> future, Duration limit) {\n}\n"
            "template <class F>\nauto around(F body) -> std::invoke_result_t<F&> {\n}\n"
        )
        self.assertEqual(awaitables(text), {"Nap", "Pause", "Clock", "Read", "timeout", "around"})


if __name__ == "__main__":
    sys.exit(unittest.main())
