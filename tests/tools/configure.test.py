# SPDX-License-Identifier: Apache-2.0
"""What the configure step refuses: modules that break the layers, and a version said in two ways."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from scratch import REPOSITORY

MODULES = {
    "base": "LAYER 0",
    "kernel": "LAYER 1 DEPENDS base TEST_DEPENDS sim",
    "sim": "LAYER 2 DEPENDS kernel",
    "pool": "LAYER 2 DEPENDS kernel",
}


class Configure(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.root = Path(cls.scratch.name) / "tree"
        shutil.copytree(REPOSITORY / "cmake", cls.root / "cmake")
        (cls.root / "gyre/base").mkdir(parents=True)
        (cls.root / "lang").mkdir()
        (cls.root / "tools").mkdir()
        for name in ("CMakeLists.txt", "gyre/CMakeLists.txt", "lang/CMakeLists.txt", "gyre/base/version.hpp", "tools/check_tree",
                     "tools/tree_files.py"):
            shutil.copy(REPOSITORY / name, cls.root / name)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def setUp(self):
        for name, declared in MODULES.items():
            self.declare(name, declared)
            self.write(f"gyre/{name}/{name}.cpp", f"int {name}() {{ return 1; }}\n")

    def declare(self, name, declared):
        self.write(f"gyre/{name}/CMakeLists.txt", f"gyre_module({name} {declared})\n")

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def configure(self, *arguments):
        # One build folder for all tests: the compiler is looked at once.
        command = ["cmake", "-G", "Ninja", "-S", self.root, "-B", self.root / "build", "-DGYRE_TESTS=OFF", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def refuses(self, *words):
        result = self.configure()
        self.assertNotEqual(result.returncode, 0)
        message = " ".join(result.stderr.split())
        for word in words:
            self.assertIn(word, message)

    def test_modules_that_keep_the_layers(self):
        result = self.configure()
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_dependency_of_the_same_layer(self):
        self.declare("sim", "LAYER 2 DEPENDS pool")
        self.refuses("Module sim (layer 2) depends on pool (layer 2)", "only on lower layers")

    def test_half_a_layer_stands_between_two(self):
        self.declare("pool", "LAYER 1+ DEPENDS kernel")
        self.declare("sim", "LAYER 2 DEPENDS pool")
        result = self.configure()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.declare("sim", "LAYER 1+ DEPENDS pool")
        self.refuses("Module sim (layer 1+) depends on pool (layer 1+)")
        self.declare("sim", "LAYER two DEPENDS kernel")
        self.refuses("gyre_module(sim): LAYER is a number, or a number and a +")

    def compiled(self):
        commands = (self.root / "build/compile_commands.json").read_text(encoding="utf-8")
        return [name for name in MODULES if f"gyre_{name}.dir" in commands]

    def test_a_part_of_the_modules(self):
        self.addCleanup(self.configure, "-DGYRE_MODULES=")
        result = self.configure("-DGYRE_MODULES=sim")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.compiled(), ["base", "kernel", "sim"])
        result = self.configure("-DGYRE_MODULES=air")
        self.assertNotEqual(result.returncode, 0)
        message = " ".join(result.stderr.split())
        self.assertIn("GYRE_MODULES names 'air', which is no module. There are: base, kernel, pool, sim", message)

    def test_a_bridge_comes_after_what_it_joins(self):
        self.write("gyre/bridge/early/CMakeLists.txt",
                   "if(NOT TARGET gyre_sim)\n  message(FATAL_ERROR early)\nendif()\n"
                   "gyre_module(early LAYER 5+ DEPENDS sim)\n")
        self.addCleanup(shutil.rmtree, self.root / "gyre/bridge")
        result = self.configure()
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_dependency_that_nobody_declares(self):
        self.declare("sim", "LAYER 2 DEPENDS air")
        self.refuses("Module sim depends on air, which no folder declares")

    def test_a_test_dependency_that_nobody_declares(self):
        self.declare("sim", "LAYER 2 DEPENDS kernel TEST_DEPENDS air")
        self.refuses("Module sim depends on air, which no folder declares")

    def test_an_include_that_is_not_declared(self):
        self.write("gyre/sim/sim.cpp", '#include "gyre/pool/pool.hpp"\n')
        self.refuses("gyre/sim/sim.cpp:1: layers: sim includes pool without declaring it")

    def test_a_module_without_a_layer(self):
        self.declare("sim", "DEPENDS kernel")
        self.refuses("gyre_module(sim): write gyre_module(<name> LAYER <n>")

    def test_a_version_that_differs_from_the_header(self):
        header = self.root / "gyre/base/version.hpp"
        text = header.read_text(encoding="utf-8")
        self.addCleanup(header.write_text, text, encoding="utf-8")
        header.write_text(text.replace("version_minor = ", "version_minor = 9"), encoding="utf-8")
        self.refuses("gyre/base/version.hpp lacks 'version_minor = ")

    def test_a_module_of_headers_alone(self):
        (self.root / "gyre/sim/sim.cpp").unlink()
        result = self.configure()
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_files_of_a_missing_optional_library_drop_out(self):
        self.declare("sim", "LAYER 2 DEPENDS kernel OPTIONAL air air.h")
        self.write("gyre/sim/air_sim.cpp", "int air_sim() { return 1; }\n")
        self.addCleanup((self.root / "gyre/sim/air_sim.cpp").unlink)
        result = self.configure()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("gyre/sim: built without air", result.stdout)
        commands = (self.root / "build/compile_commands.json").read_text(encoding="utf-8")
        self.assertNotIn("air_sim.cpp", commands)
        self.assertIn("-DGYRE_HAS_AIR=0", commands)

    @unittest.skipUnless(shutil.which("ccache"), "ccache is not installed")
    def test_clones_at_two_paths_share_what_ccache_has(self):
        self.write("gyre/base/place.cpp", "const char* place() { return __FILE__; }\n")
        self.addCleanup((self.root / "gyre/base/place.cpp").unlink)
        environment = {**os.environ, "CCACHE_DIR": str(self.root / "cache")}

        def run(*command):
            result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            return result.stdout

        for name in ("one", "other"):
            clone = self.root / name
            for folder in ("cmake", "gyre", "lang", "tools"):
                shutil.copytree(self.root / folder, clone / folder)
            shutil.copy(self.root / "CMakeLists.txt", clone)
            run("cmake", "-G", "Ninja", "-S", clone, "-B", clone / "build", "-DGYRE_TESTS=OFF", "-DGYRE_EXAMPLES=OFF",
                "-DGYRE_CLI=OFF", "-DGYRE_INSTALL=OFF", "-DGYRE_SHARE_CACHE=ON", "-DCMAKE_BUILD_TYPE=RelWithDebInfo")
            run("ccache", "--zero-stats")
            run("cmake", "--build", clone / "build")
        counts = dict(line.split("\t")[:2] for line in run("ccache", "--print-stats").splitlines())
        hits = int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"])
        self.assertEqual((hits, int(counts["cache_miss"])), (len(MODULES), 0), counts)
        library = (self.root / "other/build/lib/libgyre_base.a").read_bytes()
        self.assertNotIn(str(self.root).encode(), library)

    def test_an_unknown_sanitizer(self):
        result = self.configure("-DGYRE_SANITIZE=soap")
        self.addCleanup(self.configure, "-DGYRE_SANITIZE=")
        self.assertIn("it must be address, thread or empty", result.stderr)


if __name__ == "__main__":
    unittest.main()
