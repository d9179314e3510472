# SPDX-License-Identifier: Apache-2.0
"""The commands on Vela files from outside: what they say, and the codes they end with.

    cli.test.py PROGRAM"""

import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
HERE = os.path.dirname(os.path.abspath(__file__))


def gyre(*arguments, folder=None, given=None):
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, errors="replace", check=False, cwd=folder, timeout=300,
        input=given,
    )


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()


class Fmt(InFolder):
    UGLY = "fn f( )->Number{\n    return   1 ;\n}\n"
    NEAT = "fn f() -> Number {\n  return 1\n}\n"

    def test_lays_out_in_place_and_keeps_the_mode(self):
        path = self.write("a.vela", self.UGLY)
        os.chmod(path, 0o640)
        result = gyre("fmt", "a.vela", folder=self.folder)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(self.read("a.vela"), self.NEAT)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)
        self.assertEqual(os.listdir(self.folder), ["a.vela"])

    def test_check_names_what_is_not_laid_out_and_changes_nothing(self):
        self.write("a.vela", self.UGLY)
        self.write("b.vela", self.NEAT)
        result = gyre("fmt", "--check", "a.vela", "b.vela", folder=self.folder)
        self.assertEqual((result.returncode, result.stdout), (1, "a.vela\n"))
        self.assertEqual(self.read("a.vela"), self.UGLY)
        self.assertEqual(gyre("fmt", "--check", "b.vela", folder=self.folder).returncode, 0)

    def test_leaves_a_file_with_an_error_alone_and_ends_with_2(self):
        self.write("a.vela", "fn f( {\n")
        result = gyre("fmt", "a.vela", folder=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertTrue(result.stderr.startswith("a.vela:1:7: error[E0201]: "), result.stderr)
        self.assertEqual(self.read("a.vela"), "fn f( {\n")

    def test_of_what_is_no_file_is_one_line_and_2(self):
        for path in ("missing.vela", "."):
            result = gyre("fmt", path, folder=self.folder)
            self.assertEqual(result.returncode, 2, path)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertIn(path, result.stderr)
        self.assertEqual(gyre("fmt").returncode, 2)


class Check(InFolder):
    def test_of_a_clean_program_is_silent_and_0_and_of_a_wrong_one_2(self):
        programs = os.path.join(HERE, "programs")
        with open(os.path.join(programs, "exit_codes.txt"), encoding="utf-8") as file:
            codes = [line.split() for line in file]
        self.assertTrue(codes)
        for name, code in codes:
            result = gyre("check", name, folder=programs)
            # What ends with 1 fails when it runs.
            self.assertEqual(result.returncode, 2 if code == "2" else 0, name)
            self.assertEqual(result.stdout, "")
            self.assertEqual(": error[" in result.stderr, code == "2", name)

    def test_several_files_are_told_of_in_their_order(self):
        self.write("a.vela", "x = y\n")
        self.write("b.vela", "fn f( {\n")
        result = gyre("check", "b.vela", "a.vela", folder=self.folder)
        self.assertEqual(result.returncode, 2)
        heads = [line for line in result.stderr.splitlines() if ": error[" in line]
        self.assertEqual([head.split(":")[0] for head in heads], ["b.vela", "a.vela"])

    def test_json_has_places_and_fixes(self):
        self.write("a.vela", 'fn f(s: String) -> Number {\n  return s.lenght\n}\n')
        result = gyre("check", "--json", "a.vela", folder=self.folder)
        self.assertEqual((result.returncode, result.stderr), (2, ""))
        (found,) = json.loads(result.stdout)
        self.assertEqual((found["file"], found["line"], found["column"], found["code"]), ("a.vela", 2, 12, "E0307"))
        self.assertEqual((found["fix"]["begin_byte"], found["fix"]["end_byte"]), (39, 45))
        self.assertEqual(found["fix"]["replacement"], "length")
        self.write("b.vela", "")
        self.assertEqual(json.loads(gyre("check", "--json", "b.vela", folder=self.folder).stdout), [])

    def test_a_warning_is_told_and_no_error(self):
        self.write("a.vela", "async fn f() -> void { }\nfn main() -> void {\n  f()\n}\n")
        result = gyre("check", "a.vela", folder=self.folder)
        self.assertEqual(result.returncode, 0)
        self.assertTrue(result.stderr.startswith("a.vela:3:3: warning[W0401]: "), result.stderr)

    def test_imports_are_read_beside_the_file_that_names_them(self):
        os.mkdir(os.path.join(self.folder, "lib"))
        self.write("lib/a.vela", "fn one() -> Number { return 1 }\n")
        self.write("main.vela", "import './lib/a.vela'\nfn main() -> void { print(one()) }\n")
        for folder, path in ((self.folder, "main.vela"), (self.folder, "./main.vela"), (None, f"{self.folder}/main.vela")):
            result = gyre("check", path, folder=folder)
            self.assertEqual((result.returncode, result.stderr), (0, ""), path)
        self.write("lib/a.vela", "fn one( {\n")
        self.assertTrue(gyre("check", "main.vela", folder=self.folder).stderr.startswith("lib/a.vela:1:9: error"))

    def test_imports_stay_below_the_folder_of_the_program(self):
        for name in ("app", "app/lib", "other", "shared"):
            os.mkdir(os.path.join(self.folder, name))
        self.write("other/secret.vela", "fn one() -> Number { 'secret' }\n")
        self.write("shared/tools.vela", "fn one() -> Number { return 1 }\n")
        self.write("app/secret.txt", "the secret\n")
        os.symlink("../other/secret.vela", os.path.join(self.folder, "app/link.vela"))
        os.symlink("../other", os.path.join(self.folder, "app/folder"))
        os.symlink("secret.txt", os.path.join(self.folder, "app/text.vela"))
        os.symlink("lib/good.vela", os.path.join(self.folder, "app/inside.vela"))
        os.mkfifo(os.path.join(self.folder, "app/pipe.vela"))
        self.write("app/lib/good.vela", "fn one() -> Number { return 1 }\n")
        self.write("app/lib/up.vela", "import '../../other/secret.vela'\nfn two() -> Number { return one() }\n")
        outside = "is outside of the folder of the program; --allow fs=DIR permits another one"
        said = {
            "../other/secret.vela": ("../other/secret.vela", outside),
            f"{self.folder}/other/secret.vela": (f"{self.folder}/other/secret.vela", outside),
            "./link.vela": ("link.vela", outside),
            "./folder/secret.vela": ("folder/secret.vela", outside),
            "./text.vela": ("text.vela", "is a link to a file that is no `.vela` file"),
            "./pipe.vela": ("pipe.vela", "is no file"),
            "./lib": ("lib", None),
        }
        for imported, (path, reason) in said.items():
            self.write("app/main.vela", f"import '{imported}'\nfn main() -> void {{ print(one()) }}\n")
            for verb in ("check", "run", "lower", "test"):
                with self.subTest(imported=imported, verb=verb):
                    result = gyre(verb, "main.vela", folder=os.path.join(self.folder, "app"))
                    self.assertEqual(result.returncode, 2)
                    if reason is not None:
                        self.assertEqual(result.stderr.splitlines()[0],
                                         f"main.vela:1:8: error[E0314]: cannot import: {path}: {reason}")
                    self.assertNotIn("secret'", result.stderr)
                    self.assertNotIn("the secret", result.stderr)
        self.write("app/main.vela", "import './lib/up.vela'\nfn main() -> void { print(two()) }\n")
        result = gyre("check", "app/main.vela", folder=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertTrue(result.stderr.startswith("app/lib/up.vela:1:8: error[E0314]: cannot import: "), result.stderr)
        self.assertIn(outside, result.stderr)

    def test_imports_from_a_permitted_folder_and_through_links_inside(self):
        for name in ("app", "app/lib", "shared"):
            os.mkdir(os.path.join(self.folder, name))
        self.write("shared/tools.vela", "fn one() -> Number { return 1 }\n")
        self.write("app/lib/good.vela", "fn one() -> Number { return 1 }\n")
        os.symlink("lib/good.vela", os.path.join(self.folder, "app/inside.vela"))
        os.symlink("app", os.path.join(self.folder, "link"))
        for imported, options in (("./inside.vela", ()), ("../shared/tools.vela", ("--allow", "fs=shared")),
                                  ("../app/lib/good.vela", ())):
            self.write("app/main.vela", f"import '{imported}'\n@test\nfn main() -> void {{ print(one()) }}\n")
            for verb, start in (("check", "app"), ("run", "app"), ("lower", "app"), ("test", "app"), ("check", "link")):
                with self.subTest(imported=imported, verb=verb, start=start):
                    result = gyre(verb, *options, f"{start}/main.vela", folder=self.folder)
                    self.assertEqual((result.stderr, result.returncode), ("", 0))
        # A folder is the root of the files in it.
        self.write("app/lib/tests.vela", "import '../main.vela'\nfn main() -> void { print(two()) }\n")
        self.write("app/main.vela", "fn two() -> Number { return 2 }\n")
        self.assertEqual(gyre("check", "app", folder=self.folder).returncode, 0)
        self.assertEqual(gyre("check", "app/lib", folder=self.folder).returncode, 2)

    def test_bad_input_is_one_clear_line_first_and_2(self):
        self.write("latin.vela", b"x = \"caf\xe9\"\n")
        self.write("long.vela", "x = " + "a" * 1_000_000)
        self.write("deep.vela", "x = " + "(" * 10_000)
        self.write("huge.vela", "# " + "x" * (16 << 20))
        self.write("circle.vela", "import './circle.vela'\n")
        self.write("lost.vela", "import './nowhere.vela'\n")
        os.mkdir(os.path.join(self.folder, "closed"))
        closed = self.write("closed/a.vela", "")
        os.chmod(closed, 0)
        said = {
            "latin.vela": "latin.vela:1:9: error[E0101]: this is not UTF-8",
            "long.vela": "long.vela:1:5: error[E0101]: a token of 1000000 bytes; the limit on token length is 65536",
            "deep.vela": "deep.vela:1:261: error[E0201]: the limit on nesting is 256 brackets, blocks or operators inside one another",
            "huge.vela": "huge.vela:1:1: error[E0101]: the file has 16777218 bytes; the limit on file size is 16777216",
            "circle.vela": "circle.vela:1:8: error[E0314]: files import each other in a circle: circle.vela -> circle.vela",
            "lost.vela": "lost.vela:1:8: error[E0314]: cannot import: nowhere.vela: No such file or directory",
            "missing.vela": "gyre check: missing.vela: No such file or directory",
        }
        if os.geteuid() != 0:
            said["closed/a.vela"] = "gyre check: closed/a.vela: Permission denied"
        for path, line in said.items():
            result = gyre("check", path, folder=self.folder)
            self.assertEqual(result.returncode, 2, path)
            self.assertEqual(result.stderr.splitlines()[0], line)
            self.assertEqual(sum(": error[" in text for text in result.stderr.splitlines()), line.count(": error["))
            self.assertLess(len(result.stderr), 1000, path)


    def test_standard_input_is_a_file_too(self):
        result = gyre("check", "-", folder=self.folder, given="x = y\n")
        self.assertEqual(result.returncode, 2)
        self.assertTrue(result.stderr.startswith("<stdin>:1:5: error[E0307]: "), result.stderr)
        self.assertEqual(gyre("check", "-", given="fn main() -> void { }\n").returncode, 0)

    def test_a_folder_stands_for_the_files_in_it(self):
        os.makedirs(os.path.join(self.folder, "app/lib"))
        self.write("app/b.vela", "x = y\n")
        self.write("app/lib/a.vela", "x = z\n")
        self.write("app/notes.txt", "x = z\n")
        result = gyre("check", "app", folder=self.folder)
        self.assertEqual(result.returncode, 2)
        heads = [line.split(":")[0] for line in result.stderr.splitlines() if ": error[" in line]
        self.assertEqual(heads, ["app/b.vela", "app/lib/a.vela"])


class Explain(unittest.TestCase):
    @staticmethod
    def program(text, head):
        lines = text.split(f"\n{head}:\n\n")[1].split("\n\n")[0].splitlines()
        return "\n".join(line[4:] for line in lines) + "\n"

    def test_every_code_has_a_wrong_and_a_right_program(self):
        listed = [line.split()[0] for line in gyre("explain").stdout.splitlines()]
        used = set()
        sources = [os.path.join(HERE, "../..", folder) for folder in ("lang/vela", "cli")]
        for folder, _, files in (entry for source in sources for entry in os.walk(source)):
            for name in files:
                if name.endswith(".cpp") and not name.endswith(".test.cpp"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        used.update(re.findall(r'"([EW]0\d{3})"', file.read()))
        self.assertEqual(sorted(listed), sorted(used))
        for code in listed:
            with self.subTest(code=code):
                text = gyre("explain", code.lower()).stdout
                wrong = gyre("check", "--strict", "-", given=self.program(text, "Wrong")).stderr
                self.assertIn(f"[{code}]", wrong.splitlines()[0])
                self.assertEqual(gyre("check", "-", given=self.program(text, "Right")).stderr, "")

    def test_an_unknown_code_is_one_line_and_2(self):
        result = gyre("explain", "E9999")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr, "gyre explain: there is no code E9999; gyre explain lists them\n")


class Lower(InFolder):
    def test_prints_the_states_of_the_seeds_example(self):
        result = gyre("lower", os.path.join(HERE, "seed_complete", "05_2.vela"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("\n  states: Start, Await1, Await2(a), Await3(a, b)\n", result.stdout)

    def test_ends_as_check_does(self):
        self.write("a.vela", "fn main() -> void { print(1) }\n")
        self.write("wrong.vela", "x = y\n")
        self.assertEqual(gyre("lower", "a.vela", folder=self.folder).returncode, 0)
        for path, line in (("wrong.vela", "wrong.vela:1:5: error[E0307]: "), ("none.vela", "gyre lower: none.vela: ")):
            result = gyre("lower", path, folder=self.folder)
            self.assertEqual((result.returncode, result.stdout), (2, ""), path)
            self.assertTrue(result.stderr.startswith(line), result.stderr)
        self.assertEqual(gyre("lower").returncode, 2)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
