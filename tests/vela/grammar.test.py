# SPDX-License-Identifier: Apache-2.0
"""The grammar for editors knows the words, numbers, strings and signs that the lexer knows: the lexer's
own tables are read from its sources. The folder for VS Code is whole."""

import json
import re
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SYNTAX = ROOT / "lang" / "vela" / "syntax"
VSCODE = ROOT / "editors" / "vscode"


def grammar():
    return json.loads((VSCODE / "syntaxes" / "vela.tmLanguage.json").read_text(encoding="utf-8"))


def patterns(group):
    return {p["name"]: p["match"] for p in grammar()["repository"][group]["patterns"] if "match" in p}


def regexes(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("match", "begin", "end"):
                yield value
            else:
                yield from regexes(value)
    elif isinstance(node, list):
        for value in node:
            yield from regexes(value)


def scope_at_start(group, text):
    """The first pattern of a group that matches at the begin of the text, with what it takes."""
    for name, pattern in patterns(group).items():
        found = re.match(pattern, text)
        if found:
            return name, found[0]
    return None


class Grammar(unittest.TestCase):
    def test_every_expression_is_well_formed_and_every_include_is_there(self):
        for pattern in regexes(grammar()):
            re.compile(pattern)
        text = json.dumps(grammar())
        for name in re.findall(r'"include": "#(\w+)"', text):
            self.assertIn(name, grammar()["repository"])

    def test_has_the_keywords_of_the_lexer_and_no_other(self):
        macro = re.search(r"#define GYRE_VELA_KEYWORDS.*?// clang-format on", (SYNTAX / "detail" / "token.hpp").read_text(), re.DOTALL)
        lexer = set(re.findall(r"word\((\w+)\)", macro[0])) - {"word"}
        self.assertGreater(len(lexer), 30)
        known = set()
        for name, pattern in patterns("keywords").items():
            if "contextual" not in name:
                known |= set(re.search(r"\\b\(([\w|]+)\)", pattern)[1].split("|"))
        self.assertEqual(known - {"self"}, lexer)

    def test_a_keyword_behind_a_dot_is_a_name(self):
        pattern = patterns("keywords")["keyword.control.vela"]
        self.assertIsNone(re.search(pattern, "future.catch(f)"))
        self.assertIsNotNone(re.search(pattern, "} catch (e)"))

    def test_has_the_signs_of_the_lexer(self):
        signs = set(re.findall(r'\{"([^"\w]+)", TokenKind::\w+\}', (SYNTAX / "internal" / "signs.hpp").read_text()))
        self.assertGreater(len(signs), 40)
        pattern = patterns("operators")["keyword.operator.vela"]
        for sign in signs - set("()[]{},;:.") :
            self.assertEqual(re.match(pattern, sign)[0], sign)

    def test_tells_numbers_apart_as_the_lexer_does(self):
        for text, scope in {
            "42": "integer",
            "0x2A": "integer.based",
            "0b101": "integer.based",
            "3.14": "float",
            "1e9": "float",
            "2.5e-3": "float",
        }.items():
            self.assertEqual(scope_at_start("numbers", text), (f"constant.numeric.{scope}.vela", text))
        self.assertEqual(scope_at_start("numbers", "1..10"), ("constant.numeric.integer.vela", "1"))

    def test_knows_the_escapes_of_the_lexer(self):
        allowed = re.search(r'string_view\("(.+)"\)\.find\(peek\(\)\)', (SYNTAX / "internal" / "lexer_strings.cpp").read_text())[1]
        for letter in allowed.replace('\\"', '"').replace("\\\\", "\\"):
            name, _ = scope_at_start("escapes", "\\" + letter)
            self.assertEqual(name, "constant.character.escape.vela", letter)
        self.assertEqual(scope_at_start("escapes", "\\q")[0], "invalid.illegal.escape.vela")

    def test_has_a_colour_for_each_kind_of_literal(self):
        """Every kind of token in the lexer's enum that is not a sign, a keyword or a name."""
        text = (SYNTAX / "detail" / "token.hpp").read_text()
        kinds = re.search(r"enum class TokenKind.*?#define", text, re.DOTALL)[0]
        literals = set(re.findall(r"^    (\w+),", kinds, re.MULTILINE)) - {"end_of_file", "name"}
        samples = {
            "integer": ("numbers", "7"),
            "real": ("numbers", "7.5"),
            "string": ("strings", '"a"'),
            "string_head": ("strings", '"a${'),
            "string_middle": ("strings", '"a${'),
            "string_tail": ("strings", '"a${'),
        }
        self.assertEqual(set(samples), literals)
        begins = [p.get("match", p.get("begin")) for group in ("numbers", "strings")
                  for p in grammar()["repository"][group]["patterns"]]
        for group, sample in samples.values():
            self.assertTrue(any(re.match(pattern, sample) for pattern in begins), sample)
        # A string with parts has code between its parts.
        for pattern in grammar()["repository"]["strings"]["patterns"]:
            if "begin" in pattern:
                self.assertIn({"include": "#interpolation"}, pattern["patterns"])

    def test_knows_every_contextual_word(self):
        words = re.search(r"^constexpr std::string_view contextual_words\[\] = \{(.*?)\};",
                          (ROOT / "lang" / "vela" / "query" / "candidates.cpp").read_text(), re.DOTALL | re.MULTILINE)
        samples = {"actor": "actor A {", "as": "as lib", "hide": "hide { a }", "scope": "scope {", "self": "self,",
                   "show": "show { a }", "spawn": "spawn(f())", "state": "state x = 1", "type": "type A = B"}
        self.assertEqual(set(samples), set(re.findall(r'"(\w+)"', words[1])))
        for word, sample in samples.items():
            found = [re.match(pattern, sample) for pattern in patterns("keywords").values()]
            self.assertIn(word, [match[0] for match in found if match])


class VsCode(unittest.TestCase):
    def test_the_package_names_files_that_are_there(self):
        package = json.loads((VSCODE / "package.json").read_text())
        given = package["contributes"]
        paths = [package["main"], given["languages"][0]["configuration"], given["grammars"][0]["path"]]
        for path in paths:
            self.assertTrue((VSCODE / path).is_file(), path)
        self.assertEqual(given["grammars"][0]["scopeName"], grammar()["scopeName"])
        self.assertEqual(list(package["dependencies"]), ["vscode-languageclient"])

    def test_the_extension_uses_what_the_package_declares(self):
        package = json.loads((VSCODE / "package.json").read_text())
        code = (VSCODE / "extension.js").read_text()
        for command in package["contributes"]["commands"]:
            self.assertIn(f"'{command['command']}'", code)
        for setting in package["contributes"]["configuration"]["properties"]:
            self.assertIn(f"'{setting}'", code)
        self.assertIn("args: ['lsp']", code)
        for name in re.findall(r"require\('([^']+)'\)", code):
            self.assertTrue(name == "vscode" or name.split("/")[0] in package["dependencies"], name)
        if shutil.which("node"):
            subprocess.run(["node", "--check", VSCODE / "extension.js"], check=True)

    def test_comments_and_brackets_are_those_of_the_lexer(self):
        configuration = json.loads((VSCODE / "language-configuration.json").read_text())
        marks = [configuration["comments"]["lineComment"] + " x", "/* x */"]
        self.assertEqual("".join(configuration["comments"]["blockComment"]), "/**/")
        comments = [p.get("match", p.get("begin")) for p in grammar()["repository"]["comments"]["patterns"]]
        for mark in marks:
            self.assertTrue(any(re.match(pattern, mark) for pattern in comments), mark)
        signs = (SYNTAX / "internal" / "signs.hpp").read_text()
        for pair in configuration["brackets"]:
            for bracket in pair:
                self.assertIn(f'{{"{bracket}", TokenKind::', signs)


if __name__ == "__main__":
    unittest.main()
