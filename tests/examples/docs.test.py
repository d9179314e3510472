# SPDX-License-Identifier: Apache-2.0
"""The documents say what the tree is like: the programs of the README and the guide are regions of compiled
files, and every path that they and the architecture page name exists."""

import re
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from example_text import promised_run, region

ROOT = Path(__file__).resolve().parent.parent.parent
# A word in backquotes that holds a slash and looks like a path of this tree.
NAMED_PATH = re.compile(r"`((?:\w[\w.-]*/)+[\w.-]*)`")
LINK = re.compile(r"\]\(([^)#]+)\)")


# Each page with the files whose regions it shows, in their order on the page.
GUIDE = {
    "first-program.md": [("examples/15_first_task.cpp", ["readme"])],
    "values-and-errors.md": [("examples/16_errors.cpp", ["head", "fail", "try", "chain"])],
    "scopes.md": [("examples/17_scope.cpp", ["head", "spawn", "fail"])],
    "cancelling.md": [("examples/18_clean_up.cpp", ["head", "session", "cancel"])],
    "time.md": [("examples/19_timeouts.cpp", ["head", "timeout", "deadline", "interval"])],
    "values-between-tasks.md": [("examples/20_pipeline.cpp", ["head", "stages", "pipeline"])],
    "streams.md": [("examples/21_stream.cpp", ["head", "generator", "reader"])],
    "several-at-once.md": [
        ("examples/22_race.cpp", ["head", "fetch", "combine"]),
        ("examples/41_select.cpp", ["serve"]),
    ],
    "threads.md": [("examples/23_threads.cpp", ["head", "work", "channel", "main"])],
    "run-webassembly.md": [("examples/55_wasm_plugins.cpp", ["tenant"])],
    "embed-javascript.md": [
        ("examples/52_embed_script.cpp", ["head", "system", "functions", "run"]),
        ("examples/53_script_per_tenant.cpp", ["limits"]),
    ],
    "files-and-processes.md": [
        ("examples/32_tail.cpp", ["head", "tail"]),
        ("examples/33_supervisor.cpp", ["head", "supervise"]),
    ],
    "testing.md": [("gyre/testing/guide.test.cpp", ["head", "retry", "test", "advance", "orders"])],
    "debugging.md": [("examples/24_stuck.cpp", ["head", "stuck"])],
    "simulation.md": [("gyre/testing/simulation_guide.test.cpp", ["hosts", "points"])],
    "databases.md": [("examples/60_todo.cpp", ["head", "rows", "transaction"])],
    "durable-runs.md": [("examples/62_payment.cpp", ["flow", "work"])],
    "sockets.md": [
        ("examples/28_echo_server.cpp", ["head", "server", "client"]),
        ("examples/31_port_scanner.cpp", ["head", "scan"]),
        ("examples/30_key_value.cpp", ["head", "serve"]),
    ],
    "run-your-libuv-program.md": [],  # Its commands are those of tests/cli/uv.test.py.
    "javascript.md": [],  # Its programs are run by tests/script/guide.test.py.
    "javascript-packages.md": [],
    "permissions.md": [],  # Its programs are run by tests/script/guide.test.py.
    "costs.md": [("gyre/task/async.hpp", [])],
    "environment.md": [],
    "failures.md": [],
    "use-it-in-your-project.md": [("examples/15_first_task.cpp", [])],
    "actors.md": [
        ("examples/34_chat_room.cpp", ["head", "room", "chat"]),
        ("examples/36_rate_limiter.cpp", ["head", "limiter"]),
        ("examples/37_database_worker.cpp", ["head", "worker", "main"]),
        ("examples/35_worker_pool.cpp", ["head", "worker", "pool"]),
    ],
    "http.md": [
        ("examples/38_users_api.cpp", ["head", "routes"]),
        ("examples/40_server_sent_events.cpp", ["head", "events"]),
    ],
    "compilers.md": [("tests/compilers/spellings.test.cpp", ["named"])],
    "tracing.md": [("gyre/trace/trace_file.test.cpp", ["head", "guide"])],
    "give-your-language-an-event-loop.md": [
        ("examples/14_jobs.cpp", ["head", "run", "script", "host", "operation"]),
        ("examples/26_conform.cpp", ["head", "run"]),
    ],
    "vela.md": [],  # Its programs are Vela: tests/vela checks them.
    "vela-tools.md": [],  # The same: tests/vela/repl.test.py and doc.test.py run what it shows.
    "host-your-languages-effects.md": [
        ("examples/25_effects.cpp", ["head", "effect", "guest", "handler", "main", "run"]),
        ("gyre/bridge/effect_json/handler_script.test.cpp", ["guide"]),
    ],
}


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def programs(path):
    return re.findall(r"```cpp\n(.*?)```", read(path), re.DOTALL)


def is_there(path):
    """A path of the tree, or one that the build makes."""
    return (ROOT / path).exists() or path.startswith("build/")


def named_paths(text):
    return NAMED_PATH.findall(text)


def relative_links(text):
    return [link for link in LINK.findall(text) if "://" not in link]


class Documents(unittest.TestCase):
    def test_the_program_of_the_readme_is_a_region_of_an_example(self):
        self.assertEqual(programs("README.md"), [region(read("examples/15_first_task.cpp"), "readme")])

    def test_the_programs_of_the_guide_are_regions_of_compiled_files(self):
        pages = {path.name for path in (ROOT / "docs/guide").glob("*.md")} - {"README.md"}
        self.assertEqual(pages, set(GUIDE))
        for page, sources in GUIDE.items():
            text = read(f"docs/guide/{page}")
            for source, _ in sources[:1]:
                self.assertIn(f"`{source}`", text, f"{page} does not say where its program is")
            regions = [region(read(source), name) for source, names in sources for name in names]
            self.assertEqual(programs(f"docs/guide/{page}"), regions, page)

    def test_the_index_of_the_guide_names_every_page_and_every_link_leads_somewhere(self):
        for page in (ROOT / "docs/guide").glob("*.md"):
            text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
            missing = [link for link in relative_links(text) if not (page.parent / link).exists()]
            missing += [path for path in named_paths(text) if not is_there(path)]
            self.assertEqual(missing, [], page.name)
        self.assertEqual(set(relative_links(read("docs/guide/README.md"))), set(GUIDE))

    def test_each_page_of_the_guide_leads_to_the_next(self):
        order = relative_links(read("docs/guide/README.md").split("Other parts")[0])
        for page, following in zip(order, order[1:]):
            self.assertIn(f"]({following}).", read(f"docs/guide/{page}").split("Next: ")[-1], page)

    def test_the_guide_shows_what_the_stuck_program_prints(self):
        block = re.findall(r"```\n(scope.*?)```", read("docs/guide/debugging.md"), re.DOTALL)
        printed = promised_run(read("examples/24_stuck.cpp"))[1]
        self.assertEqual(block, ["".join(printed.splitlines(True)[:-1])])

    def test_the_table_of_effect_errors_has_every_kind_once(self):
        enum = read("gyre/effect/run_outcome.hpp").split("enum class ErrorKind")[1].split("};")[0]
        kinds = re.findall(r"^    (\w+),", enum, re.MULTILINE)
        self.assertGreater(len(kinds), 10)
        self.assertEqual(re.findall(r"^\| `(\w+)`", read("docs/effect-errors.md"), re.MULTILINE), kinds)

    def test_every_path_of_the_architecture_page_exists(self):
        paths = named_paths(read("docs/ARCHITECTURE.md"))
        self.assertGreater(len(paths), 20)
        self.assertEqual([path for path in paths if not (ROOT / path).exists()], [])

    def test_every_path_that_the_readme_names_exists(self):
        paths = relative_links(read("README.md")) + named_paths(read("README.md"))
        self.assertEqual([path for path in paths if not (ROOT / path).exists()], [])

    def test_the_architecture_page_names_every_module(self):
        text = read("docs/ARCHITECTURE.md").split("## The layers")[1].split("## A turn")[0]
        modules = [path.parent.name for path in ROOT.glob("gyre/*/CMakeLists.txt")]
        self.assertEqual([name for name in modules if not re.search(rf"\b{name}\b", text)], [])

    def test_the_changelog_has_the_version_of_the_build(self):
        version = re.search(r"project\(gyre VERSION ([\d.]+)", read("CMakeLists.txt"))[1]
        self.assertIn(f"## [{version}]", read("CHANGELOG.md"))

    def test_decisions_are_numbered_without_gaps_and_say_the_four_things(self):
        records = sorted((ROOT / "docs/decisions").glob("*.md"))
        numbers = [int(record.name[:4]) for record in records]
        self.assertEqual(numbers, list(range(1, len(records) + 1)))
        headings = ["Context", "Decision", "What we gave up", "How we would know we were wrong"]
        for record in records:
            found = re.findall(r"^## (.+)$", record.read_text(encoding="utf-8"), re.MULTILINE)
            self.assertEqual(found, headings, record.name)


class Recognition(unittest.TestCase):
    """A check that finds nothing would always pass."""

    def test_finds_paths_and_folders_and_leaves_other_words(self):
        text = "see `gyre/kernel/loop.cpp`, `tests/model/`, `Loop::turn()`, `a/b` and [x](docs/X.md)"
        self.assertEqual(named_paths(text), ["gyre/kernel/loop.cpp", "tests/model/", "a/b"])
        self.assertEqual(relative_links(text + " [y](https://example.org/)"), ["docs/X.md"])


if __name__ == "__main__":
    unittest.main()
