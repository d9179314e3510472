# SPDX-License-Identifier: Apache-2.0
"""tools/uv_functions on small trees: a function without a test, and a page that is not true, fail."""

import unittest

from scratch import ToolTest

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
NEWER = {"compat/uv/internal/newer.hpp": SPDX + "UV_EXTERN int uv_zz_new(int x);\n"}
SOURCE = {"compat/uv/zz.cpp": SPDX + "int uv_zz_new(int x) {\n    return x;\n}\n"}
CALLS = {"compat/uv/zz.test.cpp": SPDX + "TEST(UvZz, is_called) {\n    EXPECT_EQ(uv_zz_new(1), 1);\n}\n"}


class UvFunctions(ToolTest):
    tool = "uv_functions"

    def test_a_function_with_a_test_is_written_down(self):
        result = self.run_on(NEWER | SOURCE | CALLS | {"docs/x.md": ""})
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_a_function_without_a_test(self):
        result = self.run_on(NEWER | SOURCE | {"docs/x.md": ""})
        self.assertEqual(result.returncode, 1)
        self.assertIn("uv_zz_new: no test", result.stdout)

    def test_a_page_that_is_not_true(self):
        result = self.run_on(NEWER | SOURCE | CALLS | {"docs/uv-functions.md": "| `uv_zz_new` | missing |\n"}, "--check")
        self.assertEqual(result.returncode, 1)
        self.assertIn("run it", result.stdout)

    def test_the_page_of_this_tree(self):
        result = self.run_tool("--check")
        self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == "__main__":
    unittest.main()
