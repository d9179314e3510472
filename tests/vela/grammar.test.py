# SPDX-License-Identifier: Apache-2.0
"""The grammar for editors knows the words, numbers, strings and signs that the lexer knows: the lexer's
own tables are read from its sources."""

import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SYNTAX = ROOT / "lang" / "vela" / "syntax"


def grammar():
    return json.loads((ROOT / "editors" / "vela.tmLanguage.json").read_text(encoding="utf-8"))


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


if __name__ == "__main__":
    unittest.main()
