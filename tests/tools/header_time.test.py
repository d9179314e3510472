# SPDX-License-Identifier: Apache-2.0
"""What a header costs to include is printed, not judged: a busy machine is no failure. What makes it
dear is judged: headers of the standard library that the everyday header must not bring."""

import os
import re
import subprocess
import unittest

from scratch import REPOSITORY, ToolTest

EVERYDAY = "gyre/task/async.hpp"
TOO_DEAR = {"ranges", "algorithm", "regex", "iostream", "random", "map", "future"}


def standard_headers(header):
    command = [os.environ.get("CXX", "g++"), "-std=c++23", "-I.", "-M", "-w", "-x", "c++", header]
    text = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"/c\+\+/[\w.]+/(\w+)(?=\s|$)", text))


class HeaderTime(ToolTest):
    tool = "header_time"

    def test_prints_what_the_everyday_header_costs(self):
        result = self.run_tool("--rounds", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, rf"^{EVERYDAY}: \d+\.\d\d s, \d+ lines\n$")
        print(result.stdout, end="")

    def test_fails_where_a_header_does_not_compile(self):
        self.assertEqual(self.run_tool("--rounds", "1", "gyre/no_such_header.hpp").returncode, 1)

    def test_the_everyday_header_leaves_dear_headers_out(self):
        brought = standard_headers(EVERYDAY)
        self.assertIn("chrono", brought)
        self.assertEqual(brought & TOO_DEAR, set())


if __name__ == "__main__":
    unittest.main()
