# SPDX-License-Identifier: Apache-2.0
"""Breaks each rule of tools/check_tree on purpose, one at a time, in a small tree of its own."""

import unittest

from scratch import ToolTest

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
LIST_FILE = "# SPDX-License-Identifier: Apache-2.0\n"


def long_function(line_count, head="void work() {"):
    return SPDX + head + "\n" + "    step();\n" * (line_count - 2) + "}\n"


CLEAN = {
    "gyre/base/CMakeLists.txt": LIST_FILE + "gyre_module(base LAYER 0)\n",
    "gyre/kernel/CMakeLists.txt": LIST_FILE + "gyre_module(kernel LAYER 1 DEPENDS base TEST_DEPENDS sim)\n",
    "gyre/platform/CMakeLists.txt": LIST_FILE + "gyre_module(platform LAYER 2 DEPENDS kernel OPTIONAL uring liburing.h)\n",
    "gyre/sim/CMakeLists.txt": LIST_FILE + "gyre_module(sim LAYER 2 DEPENDS kernel)\n",
    "gyre/base/assert.hpp": SPDX + "// steady_clock::now in a comment is words, not a call.\n",
    "gyre/base/assert.cpp": SPDX + "#include <execinfo.h>\n#include <unistd.h>\n",
    "gyre/base/detail/atomic.hpp": SPDX + "#include <atomic>\nstd::atomic<int> x;\n",
    "gyre/kernel/internal/steps.hpp": SPDX,
    "gyre/kernel/loop.cpp": SPDX + '#include "gyre/kernel/internal/steps.hpp"\n#include "gyre/base/assert.hpp"\n',
    "gyre/kernel/loop.test.cpp": SPDX + '#include "gyre/sim/clock.hpp"\n#include <thread>\n',
    "gyre/kernel/long.cpp": long_function(70),
    "gyre/kernel/wide.cpp": SPDX + "namespace gyre {\n" + "class Wide {\n" + "    int x() { return 1; }\n" * 200 + "};\n}\n",
    "gyre/sim/clock.hpp": SPDX + '#include "gyre/base/assert.hpp"\n',
    "gyre/platform/system_clock.cpp": SPDX + "#include <time.h>\nint x = clock_gettime();\n",
    "gyre/platform/internal/epoll/epoll.cpp": SPDX + "#include <sys/epoll.h>\n",
    "compat/uv/loop.cpp": SPDX + "#include <unistd.h>\n#include <uv.h>\nint x = ::read(0, p, 1) + clock_gettime();\n",
    "docs/decisions/0001-one-loop.md": "# One loop\n",
    "tools/run": "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n",
}


class CheckTree(ToolTest):
    tool = "check_tree"

    def breaks(self, rule, path, text, line=None):
        """One file more, or another one, makes this rule fail, names the file, and breaks no other."""
        result = self.run_on(CLEAN | {path: text})
        self.assertEqual(result.returncode, 1, result.stdout)
        for found in result.stdout.splitlines():
            self.assertIn(f": {rule}: ", found)
            self.assertTrue(found.startswith(f"{path}:{line or ''}"), found)

    def passes(self, path, text):
        result = self.run_on(CLEAN | {path: text})
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_a_clean_tree_passes(self):
        result = self.run_on(CLEAN)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_an_include_of_an_undeclared_module(self):
        self.breaks("layers", "gyre/sim/x.cpp", SPDX + '#include "gyre/platform/best.hpp"\n', 2)

    def test_an_include_upwards(self):
        self.breaks("layers", "gyre/base/x.hpp", SPDX + '#include "gyre/kernel/loop.hpp"\n', 2)

    def test_an_include_in_a_test_of_what_its_target_does_not_link(self):
        self.breaks("layers", "gyre/kernel/x.test.cpp", SPDX + '#include "gyre/platform/best.hpp"\n', 2)

    def test_a_source_may_not_include_what_only_its_tests_link(self):
        self.breaks("layers", "gyre/kernel/x.cpp", SPDX + '#include "gyre/sim/clock.hpp"\n', 2)

    def test_a_dependency_of_the_same_layer(self):
        self.breaks("layers", "gyre/sim/CMakeLists.txt", LIST_FILE + "gyre_module(sim LAYER 2 DEPENDS kernel platform)\n")

    def test_a_dependency_that_nobody_declares(self):
        self.breaks("layers", "gyre/sim/CMakeLists.txt", LIST_FILE + "gyre_module(sim LAYER 2 DEPENDS kernel air)\n")

    def test_an_awaited_value_in_a_capture_list(self):
        self.breaks("captured-await", "gyre/sim/x.cpp", SPDX + "auto f = [x = co_await g()] { use(x); };\n", 2)
        self.passes("gyre/sim/x.cpp", SPDX + "auto f = [&]() -> F { co_await g(); };\nx[i] = co_await g();\n")

    def test_a_folder_that_declares_no_module(self):
        self.breaks("layers", "gyre/stray/x.cpp", SPDX)

    def test_a_module_inside_a_module_is_one_of_its_own(self):
        tree = CLEAN | {
            "gyre/sim/disk/CMakeLists.txt": LIST_FILE + "gyre_module(sim_disk LAYER 3 DEPENDS base)\n",
            "gyre/sim/disk/disk.cpp": SPDX + '#include "gyre/sim/clock.hpp"\n',
        }
        result = self.run_on(tree)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("sim_disk includes sim without declaring it", result.stdout)

    def test_an_internal_header_of_another_module(self):
        self.breaks("internal", "gyre/sim/x.cpp", SPDX + '#include "gyre/kernel/internal/steps.hpp"\n', 2)

    def test_an_internal_header_in_one_that_is_installed(self):
        for path in ("gyre/kernel/x.hpp", "gyre/kernel/detail/x.hpp"):
            self.breaks("internal", path, SPDX + '#include "gyre/kernel/internal/steps.hpp"\n', 2)
        self.passes("gyre/kernel/internal/x.hpp", SPDX + '#include "gyre/kernel/internal/steps.hpp"\n')
        self.passes("tests/x.cpp", SPDX + '#include "gyre/kernel/internal/steps.hpp"\n')

    def test_a_detail_header_in_a_program(self):
        self.breaks("detail", "cli/x.cpp", SPDX + '#include "gyre/kernel/detail/x.hpp"\n', 2)
        self.breaks("detail", "examples/01_hello.cpp", SPDX + '#include "gyre/kernel/detail/x.hpp"\n', 2)
        self.passes("gyre/kernel/x.cpp", SPDX + '#include "gyre/kernel/detail/x.hpp"\n')

    def test_a_language_is_in_the_layers_too(self):
        tree = {"lang/loud/CMakeLists.txt": LIST_FILE + "gyre_module(loud LAYER 6 DEPENDS base)\n"}
        result = self.run_on(CLEAN | tree | {"lang/loud/x.cpp": SPDX + '#include "gyre/sim/clock.hpp"\n'})
        self.assertIn("lang/loud/x.cpp:2: layers: loud includes sim without declaring it", result.stdout)

    def test_half_a_layer(self):
        half = LIST_FILE + "gyre_module(sim LAYER 1+ DEPENDS kernel)\n"
        self.passes("gyre/sim/CMakeLists.txt", half)
        other = {"gyre/kernel/CMakeLists.txt": LIST_FILE + "gyre_module(kernel LAYER 1+ DEPENDS base)\n",
                 "gyre/kernel/loop.test.cpp": SPDX}
        result = self.run_on(CLEAN | other | {"gyre/sim/CMakeLists.txt": half})
        self.assertIn("sim (layer 1+) depends on kernel (layer 1+)", result.stdout)

    def test_a_public_header_that_is_not_listed_or_says_too_little(self):
        head = SPDX + "// Clock: tells the time.\n//\n//     clock.now();\n//\n// Thread: any.\n// Lifetime: its owner's.\n"
        page = {"docs/headers.md": "| `gyre/sim/clock.hpp` | a clock |\n| `gyre/base/assert.hpp` | assertions |\n",
                "gyre/sim/clock.hpp": head, "gyre/base/assert.hpp": head, "gyre/base/detail/x.hpp": SPDX}
        def found(**changes):
            tree = CLEAN | page | {path.replace("__", "/").replace("_hpp", ".hpp"): text for path, text in changes.items()}
            return self.run_on(tree, "--rule", "public").stdout
        self.assertIn("nothing to do", found())
        self.assertIn("gyre/sim/new.hpp:1: public: a public header that", found(gyre__sim__new_hpp=head))
        unlisted = self.run_on(CLEAN | page | {"docs/headers.md": page["docs/headers.md"] + "| `gyre/sim/gone.hpp` | x |\n"})
        self.assertIn("docs/headers.md:3: public: gyre/sim/gone.hpp is no public header", unlisted.stdout)
        for line, part in (("// Thread: any.\n", "threads"), ("// Lifetime: its owner's.\n", "lifetimes"),
                           ("//     clock.now();\n", "example")):
            self.assertRegex(found(gyre__sim__clock_hpp=head.replace(line, "")), rf"clock.hpp:1: public: its head has no .*{part}")
        many = {f"gyre/base/detail/x{i}.hpp": SPDX for i in range(300)}
        self.assertIn("is the limit", self.run_on(CLEAN | page | many, "--rule", "public").stdout)

    def test_a_row_of_op_kinds_that_is_not_true(self):
        row = 'kind(send_to, output, try_send_to, io_uring_prep_sendmsg, send_to, "datagrams")\n'
        tree = CLEAN | {
            "gyre/io/CMakeLists.txt": LIST_FILE + "gyre_module(io LAYER 1 DEPENDS base)\n",
            "gyre/io/op_kinds.hpp": SPDX + row,
            "gyre/platform/calls.cpp": SPDX + "int try_send_to();\n",
            "gyre/platform/internal/uring/fill.cpp": SPDX + "using io_uring_prep_sendmsg;\n",
            "gyre/sim/socket.cpp": SPDX + "int send_to();\n",
            "tests/platforms/datagrams.test.cpp": SPDX + "SendToOp op;\n",
        }
        self.assertEqual(self.run_on(tree).returncode, 0, self.run_on(tree).stdout)
        for path, what in (
            ("gyre/platform/calls.cpp", "nothing in gyre/platform/ is called try_send_to"),
            ("gyre/platform/internal/uring/fill.cpp", "nothing in gyre/platform/internal/uring/ is called io_uring_prep"),
            ("gyre/sim/socket.cpp", "nothing in gyre/sim/ is called send_to"),
            ("tests/platforms/datagrams.test.cpp", "tests/platforms/datagrams.test.cpp does not test a SendToOp"),
        ):
            result = self.run_on(tree | {path: SPDX})
            self.assertIn(f"gyre/io/op_kinds.hpp:2: op-kinds: send_to: {what}", result.stdout)

    def test_a_file_above_the_limit(self):
        self.breaks("file-size", "gyre/kernel/x.cpp", SPDX + "int x();\n" * 500)
        self.passes("gyre/kernel/x.cpp", SPDX + "int x();\n" * 499)
        self.breaks("file-size", "gyre/kernel/x.test.cpp", SPDX + "int x();\n" * 500)
        self.breaks("file-size", "tests/support/x.hpp", SPDX + "int x();\n" * 500)
        self.passes("gyre/kernel/x.test.cpp", SPDX + "int x();\n" * 499)

    def test_a_function_above_the_limit(self):
        self.breaks("function-size", "gyre/kernel/x.cpp", long_function(71), 2)

    def test_a_function_above_the_limit_in_a_class_template(self):
        text = long_function(71, "template <class T> struct Box { template <class U> void put(U u) {") + "};\n"
        self.breaks("function-size", "gyre/kernel/x.hpp", text, 2)

    def test_a_constructor_above_the_limit_after_its_initializers(self):
        self.breaks("function-size", "gyre/kernel/x.cpp", long_function(71, "Box::Box(int x) : a_{x}, b_{f(x)} {"), 2)

    def test_a_module_with_too_few_assertions(self):
        many = {f"gyre/kernel/x{i}.cpp": SPDX + "int x();\n" * 400 for i in range(3)}
        result = self.run_on(CLEAN | many)
        self.assertRegex(result.stdout, r"^gyre/kernel/CMakeLists.txt:1: assertions: 0.0 assertions per 1,000 lines")
        asserted = SPDX + 'GYRE_ASSERT(is_open(), "open it first");\n' * 50
        self.assertEqual(self.run_on(CLEAN | many | {"gyre/kernel/x.cpp": asserted}).returncode, 0)
        in_tests = self.run_on(CLEAN | many | {"gyre/kernel/x.test.cpp": asserted})
        self.assertEqual(in_tests.returncode, 1, in_tests.stdout)

    def test_a_test_that_asserts_nothing(self):
        for head in ("TEST(X, y)", "TEST_F(X, y)", "TYPED_TEST_P(X,\n             y)"):
            text = SPDX + head + " {\n    run([] { work(); });\n    // EXPECT_EQ(1, 1)\n}\n"
            line = text[: text.index("y)")].count("\n") + 1
            self.breaks("test-asserts", "gyre/kernel/x.test.cpp", text, line)
        for proof in ("EXPECT_EQ(1, 1);", "ASSERT_TRUE(x);", "expect_same(x);", "static_assert(true);", "FAIL() << x;",
                      'GTEST_SKIP() << "skipped";', "run([] { RC_ASSERT(x); });"):
            self.passes("gyre/kernel/x.test.cpp", SPDX + "TEST(X, y) {\n    " + proof + "\n}\n")

    def test_an_atomic_outside_the_listed_files(self):
        self.breaks("atomics", "gyre/kernel/x.hpp", SPDX + "std::atomic<int> x;\n", 2)
        self.breaks("atomics", "gyre/kernel/x.hpp", SPDX + "Atomic<int> x;\n", 2)
        self.breaks("atomics", "gyre/kernel/x.hpp", SPDX + "#include <atomic>\n", 2)
        self.passes("gyre/kernel/x.test.cpp", SPDX + "#include <atomic>\nstd::atomic<int> x;\n")

    # clause: L24
    def test_a_system_header_outside_the_platform(self):
        for header in ("unistd.h", "sys/socket.h", "linux/io_uring.h", "netinet/in.h", "arpa/inet.h", "fcntl.h",
                       "poll.h", "pthread.h", "sched.h", "signal.h", "dlfcn.h", "liburing.h", "dirent.h"):
            self.breaks("system-header", "gyre/kernel/x.cpp", SPDX + f"#include <{header}>\n", 2)
        self.breaks("system-header", "gyre/base/assert.cpp", SPDX + "#include <sys/mman.h>\n", 2)
        self.breaks("system-header", "examples/01_hello.cpp", SPDX + "#include <unistd.h>\n", 2)

    # clause: L24
    def test_a_system_call_outside_the_platform(self):
        calls = ("syscall(0)", "epoll_wait(fd, events, 1, 0)", "io_uring_enter(fd)", "eventfd(0, 0)", "::fork()",
                 "recvmsg (fd, &m, 0)", "mmap(0, 1)", "::read(fd, p, 1)", "::close(fd)", "::poll(&p, 1, 0)")
        text = SPDX + "".join(f"int x = {call};\n" for call in calls)
        places = ("examples/01_hello.cpp", "gyre/kernel/x.cpp")
        result = self.run_on(CLEAN | dict.fromkeys((*places, "gyre/platform/x.cpp", "tests/x.cpp"), text))
        found = [line.split(": ")[:2] for line in result.stdout.splitlines()]
        self.assertEqual(found, [[f"{place}:{2 + i}", "system-call"] for place in places for i in range(len(calls))])

    # clause: L24
    def test_a_call_for_files_outside_the_platform(self):
        calls = ("::stat(p, &s)", "::mkdir(p, 0)", "::unlink(p)", "::remove(p)", "::rename(p, q)", "::access(p, 0)",
                 "openat(fd, p, 0)", "opendir(p)", "readdir(d)", "realpath(p, 0)", "readlink(p, b, 1)", "mkstemp(p)",
                 "mkdtemp(p)", "getcwd(b, 1)", "pread(fd, b, 1, 0)", "pwritev2(fd, v, 1, 0, 0)", "popen(c, m)",
                 "std::system(c)", "::system(c)")
        text = SPDX + "".join(f"int x = {call};\n" for call in calls)
        places = ("examples/01_hello.cpp", "gyre/kernel/x.cpp")
        result = self.run_on(CLEAN | dict.fromkeys((*places, "gyre/platform/x.cpp", "tests/x.cpp"), text))
        found = [line.split(": ")[:2] for line in result.stdout.splitlines()]
        self.assertEqual(found, [[f"{place}:{2 + i}", "system-call"] for place in places for i in range(len(calls))])
        self.passes("gyre/kernel/x.cpp", SPDX + "int x = tree.stat(p) + Tree::rename(p, q) + real_path(p) + link(p);\n")

    # clause: L24
    def test_a_file_of_the_system_outside_the_platform(self):
        lines = ("#include <fstream>", "bool x = std::filesystem::exists(p);", "auto x = std :: filesystem :: status(p);",
                 "auto x = filesystem::canonical(p);", "std::filesystem::directory_iterator x(p);",
                 "using std::filesystem::file_size;", "using namespace std::filesystem;", "std::ifstream x(p);",
                 "std::wofstream x(p);", "std::basic_fstream<char> x(p);", "std::filebuf x;", "auto* x = fopen(p, m);",
                 "auto* x = std::freopen(p, m, f);", "auto* x = std::tmpfile();", "int x = std::rename(p, q);",
                 "int x = std::remove(p);", "int x = std::remove(p.string().c_str());",
                 "int x = SSL_CTX_use_PrivateKey_file(c, p, 1);", "int x = SSL_CTX_load_verify_locations(c, p, 0);",
                 "auto* x = SSL_load_client_CA_file(p);", "auto* x = BIO_new_file(p, m);",
                 "auto* x = PEM_read_X509(f, 0, 0, 0);", "int x = SSL_CTX_set_default_verify_paths(c);")
        text = SPDX + "\n".join(lines) + "\n"
        places = ("examples/01_hello.cpp", "gyre/kernel/x.cpp", "gyre/kernel/x.hpp")
        free = ("gyre/platform/x.cpp", "gyre/kernel/x.test.cpp", "cli/x.cpp", "bench/x.cpp", "tests/x.cpp")
        result = self.run_on(CLEAN | dict.fromkeys((*places, *free), text))
        found = [line.split(": ")[:2] for line in result.stdout.splitlines()]
        self.assertEqual(found, [[f"{place}:{2 + i}", "files"] for place in places for i in range(len(lines))])

    # clause: L24
    def test_a_file_of_the_system_by_another_name_for_its_namespace(self):
        alias = "#include <filesystem>\nnamespace files = std::filesystem;\n"
        self.breaks("files", "gyre/kernel/x.cpp", SPDX + alias + "auto x = files::temp_directory_path();\n", 4)
        self.breaks("files", "gyre/kernel/x.cpp", SPDX + alias + "auto x = files::directory_entry(p).is_directory();\n", 4)
        # Found through the type of the argument.
        calls = ("exists(p)", "remove_all(p)", "is_directory(p)", "file_size(p)", "absolute(p)", "remove(p)")
        text = SPDX + "#include <filesystem>\n" + "".join(f"auto x = {call};\n" for call in calls)
        result = self.run_on(CLEAN | {"gyre/kernel/x.cpp": text})
        found = [line.split(": ")[:2] for line in result.stdout.splitlines()]
        self.assertEqual(found, [[f"gyre/kernel/x.cpp:{3 + i}", "files"] for i in range(len(calls))])

    # clause: L24
    def test_arithmetic_on_paths_and_what_is_only_called_like_a_file(self):
        self.passes("gyre/kernel/x.cpp", SPDX + "#include <filesystem>\nnamespace files = std::filesystem;\n"
                    "std::filesystem::path a(const files::path& p) {\n"
                    "    return (p.parent_path() / \"x\").lexically_normal().filename();\n}\n"
                    "bool b(Tree& tree) { return tree.exists(p) && tree->remove(p) && Tree::status(p); }\n")
        self.passes("gyre/kernel/x.cpp", SPDX + "int x = fs::exists(p) + exists(p) + std::remove(a.begin(), a.end(), 1);\n"
                    "// std::ifstream in a comment, and\nconst char* y = \"std::filesystem::exists\";\n"
                    "auto* z = PEM_read_bio_X509(bio, 0, 0, 0);\n")

    # clause: L24
    def test_the_authorities_of_the_system_are_read_in_one_file_alone(self):
        tree = CLEAN | {"gyre/tls/CMakeLists.txt": LIST_FILE + "gyre_module(tls LAYER 2 DEPENDS kernel)\n"}
        call = "int x = SSL_CTX_set_default_verify_paths(c);\n"
        result = self.run_on(tree | {"gyre/tls/internal/pem.cpp": SPDX + call + "auto* y = BIO_new_file(p, m);\n"})
        self.assertEqual(result.stdout.split(": ")[:2], ["gyre/tls/internal/pem.cpp:3", "files"], result.stdout)
        result = self.run_on(tree | {"gyre/tls/context.cpp": SPDX + call})
        self.assertEqual(result.stdout.split(": ")[:2], ["gyre/tls/context.cpp:2", "files"], result.stdout)

    # clause: L24
    def test_what_is_called_like_the_system_and_what_a_library_must_be_given(self):
        self.passes("gyre/kernel/x.cpp", SPDX + "int x = stream.read(p) + Ring::read(p) + close(fd) + by.fork(t);\n")
        net = "gyre/net/internal/cares_service.cpp"
        tree = CLEAN | {"gyre/net/CMakeLists.txt": LIST_FILE + "gyre_module(net LAYER 2 DEPENDS kernel)\n"}
        result = self.run_on(tree | {net: SPDX + "int x = ::recvfrom(fd);\nint y = recvmsg(fd);\n"})
        self.assertEqual(result.stdout.split(": ")[:2], [f"{net}:3", "system-call"], result.stdout)

    # clause: L20 L24
    def test_this_tree_uses_no_other_loop_and_no_system_outside_the_platform(self):
        result = self.run_tool("--rule", "other-loop", "--rule", "system-header", "--rule", "system-call", "--rule", "files")
        self.assertEqual(result.returncode, 0, result.stdout)

    # clause: L20
    def test_another_event_loop_inside_ours(self):
        for header in ("uv.h", "ev.h", "libev/ev.h", "event2/event.h", "asio.hpp", "boost/asio.hpp",
                       "boost/asio/io_context.hpp", "systemd/sd-event.h"):
            self.breaks("other-loop", "gyre/platform/x.cpp", SPDX + f"#include <{header}>\n", 2)
            self.breaks("other-loop", "cli/x.cpp", SPDX + f"#include <{header}>\n", 2)
            self.passes("bench/x.cpp", SPDX + f"#include <{header}>\n")

    def test_a_clock_outside_the_system_clock(self):
        for call in ("std::chrono::steady_clock::now()", "system_clock::now()", "high_resolution_clock x",
                     "clock_gettime(0, &t)"):
            self.breaks("clock", "gyre/kernel/x.cpp", SPDX + f"auto t = {call};\n", 2)
        self.breaks("clock", "gyre/platform/internal/epoll/epoll.cpp", SPDX + "auto t = steady_clock::now();\n", 2)

    def test_chance_outside_the_platform(self):
        self.breaks("chance", "gyre/kernel/x.cpp", SPDX + "int x = std::rand();\n", 2)
        self.breaks("chance", "gyre/kernel/x.cpp", SPDX + "std::random_device device;\n", 2)

    def test_a_sleep_outside_tests(self):
        self.breaks("sleep", "gyre/platform/x.cpp", SPDX + "std::this_thread::sleep_for(1ms);\n", 2)
        self.breaks("sleep", "examples/01_hello.cpp", SPDX + "usleep(1);\n", 2)
        self.passes("tests/x.cpp", SPDX + "std::this_thread::sleep_for(1ms);\n")

    def test_a_shared_owner_where_there_is_one(self):
        self.breaks("shared-ptr", "gyre/kernel/x.cpp", SPDX + "std::shared_ptr<int> x;\n", 2)
        self.passes("gyre/sim/x.cpp", SPDX + "std::shared_ptr<int> x;\n")

    def test_a_source_without_its_licence_line(self):
        self.breaks("spdx", "gyre/kernel/x.cpp", "int x;\n", 1)
        self.breaks("spdx", "tools/run", "#!/bin/sh\necho\n", 1)
        self.breaks("spdx", "cmake/x.cmake", "set(x 1)\n", 1)

    def test_a_decision_without_its_number(self):
        self.breaks("decision-name", "docs/decisions/two-loops.md", "# Two loops\n")

    def test_the_git_file_of_a_work_tree_is_no_text_of_the_tree(self):
        self.passes(".git", "gitdir: /wo" + "rk/other/.git/worktrees/this\n")

    def test_banned_words(self):
        # Put together here, so that this file does not hold them.
        for word in ("TO" + "DO", "FIX" + "ME", "/wo" + "rk/shared", "pypi" + ".org", "crates" + ".io",
                     "npm" + "js", "deb.debian" + ".org", "proxy.go" + "lang"):
            self.breaks("words", "docs/page.md", f"# Page\n\nsee {word}\n", 3)

    def test_one_rule_alone(self):
        result = self.run_on(CLEAN | {"gyre/kernel/x.cpp": "std::shared_ptr<int> x;\n"}, "--rule", "spdx")
        self.assertEqual(result.returncode, 1)
        self.assertIn("spdx", result.stdout)
        self.assertNotIn("shared-ptr", result.stdout)


if __name__ == "__main__":
    unittest.main()
