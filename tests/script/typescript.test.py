#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TypeScript by removing types: what is removed, what is refused, and where everything stays.

    typescript.test.py GYRE ENGINE
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

GYRE = str(pathlib.Path(sys.argv[1]).resolve())
ENGINE = sys.argv[2]

# A source, and what must be left of it: the same text with spaces, but for a ';' where the line
# before would go on. '_' stands for a space.
REMOVED = [
    ("let a: string = b as any;", "let a         = b       ;"),
    ("f<T>(a!, ...(b as T[]))", "f   (a , ...(b       ))"),
    ("const f = <T,>(this_: T, a?: U): a is V => a satisfies W;", "const f =     (this_   , a    )         => a            ;"),
    ("function f(this: A, b: C): void {}", "function f(         b   )       {}"),
    ("function f(a: string): void;\nfunction f(a) {}", "                            \nfunction f(a) {}"),
    ("export default function f(a: A): void;\nexport default function f(a) {}", "                                      \nexport default function f(a) {}"),
    ("abstract class A<T> extends B<T> implements C { abstract d: E; declare f; private g?: H = 1; }",
     "         class A    extends B                 {                           _        g     = 1; }"),
    ("class A { m(): void; m() {} [k: string]: any; static async n?<T>(a: T): void {} }",
     "class A {            m() {}                   static async n    (a   )       {} }"),
    ("import type { A } from 'a'; import { type B, c } from 'd'; import type from 'e';",
     "                            import {         c } from 'd'; import type from 'e';"),
    ("export type { A } from 'a'; export { type B, c }; export type D = E;", "                            export {         c };                  _ "),
    ("declare module 'm' { let x: number }\ndeclare global { }\nlet y", "_                                   \n                  \nlet y"),
    ("namespace Types { export type A = string; interface B {} }\nlet x", "_                                                         \nlet x"),
    ("type A = number;\n\nlet type = 1; type = 2;", "                \n\nlet type = 1; type = 2;"),
    ("let x = 1\ntype A = number\n(y)", "let x = 1\n;              \n(y)"),
    ("let x = y as any\n[z]", "let x = y ;     \n[z]"),
    ("class A { x = 1\n public ['y']() {} }", "class A { x = 1\n ;      ['y']() {} }"),
    ("class A { get: string\n f() {} }", "class A { get;       \n f() {} }"),
    ("const f = (a): {\n  b: T } => 1", "const f = (a    \n       ) => 1"),
    ("f = async <T>\n(a) => 1", "f = async (  \n a) => 1"),
    ("function g() { return <T>\n(a: T) => a }", "function g() { return (  \n a   ) => a }"),
    ("a ? (b) : c => d", "a ? (b) : c => d"),
    ("a ? (b): c => d : e", "a ? (b)    => d : e"),
    ("f(a < b, c > d)", "f(a < b, c > d)"),
    ("let \U0001d4b3: A, \u00e9: B", "let \U0001d4b3   , \u00e9   "),
    ("declare enum E { A }\ndeclare const enum F { B }\nlet x", "                    \n                          \nlet x"),
    ("for (const [a, b]: [A, B] of c) try {} catch (e: unknown) {}", "for (const [a, b]         of c) try {} catch (e         ) {}"),
]
# A source, and a word of the message.
REFUSED = [
    ("let a\nenum A { B }", "2:1", "an enum"),
    ("const enum A { B }", "1:7", "an enum"),
    ("export enum A {}", "1:8", "an enum"),
    ("namespace A { export const b = 1 }", "1:1", "a namespace"),
    ("namespace A { f() }", "1:1", "a namespace"),
    ("type X = 1; module A.B { let c }", "1:13", "a namespace"),
    ("class A { constructor(private b) {} }", "1:23", "a parameter property"),
    ("class A { constructor(b, readonly c: D) {} }", "1:26", "a parameter property"),
    ("let a = <any>b", "1:9", "as T"),
    ("@a class B {}", "1:1", "a decorator"),
    ("export class A {\n  @b() c(): void {}\n}", "2:3", "a decorator"),
    ("import a = require('a')", "1:1", "import name"),
    ("export = 1", "1:1", "export ="),
]
SAMPLE = """
import { type A, b } from './b.ts';
abstract class C<T extends A> extends b<T> implements D { declare private e: string; protected abstract f?(): void;
  static async *g<U>(this: C<U>, h: U = 1 as unknown as never, ...i: any[]): AsyncGenerator<U> { yield i![0]!; } }
export type J = { [K in keyof A]?: K extends infer L ? L : never }; declare module 'k' { enum M { N } }
const o = async <P,>(q: P): Promise<P> => q, r = (s ? (t) : u), v = `w${x as string}y`;
"""


class TypeScript(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name).resolve()
        self.addCleanup(self.holder.cleanup)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    def gyre(self, *arguments, command="run", engine=True):
        chosen = ["--engine", ENGINE] if engine else []
        done = subprocess.run([GYRE, command, *chosen, *arguments], capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr

    def blank(self, sources):
        """Of each source the text without types, or the error."""
        self.write("sources.json", __import__("json").dumps(sources))
        program = self.write("blank.cjs", """
const { stripTypeScriptTypes } = require('node:module');
const made = require('./sources.json').map((text) => {
  try { return { text: stripTypeScriptTypes(text) }; } catch (error) { return { code: error.code ?? error.name, message: error.message, stack: error.stack }; }
});
console.log(JSON.stringify(made));""")
        code, out, err = self.gyre(program)
        self.assertEqual(code, 0, err)
        return __import__("json").loads(out)

    def test_types_are_replaced_by_spaces(self):
        made = self.blank([source for source, _ in REMOVED])
        for (source, expected), got in zip(REMOVED, made):
            text = got.get("text")
            self.assertEqual(len(text or ""), len(source), got)
            squeezed = lambda line: " ".join(line.replace("_", " ").split())
            self.assertEqual([squeezed(line) for line in text.split("\n")], [squeezed(line) for line in expected.split("\n")])
            for at, letter in enumerate(text):
                self.assertTrue(letter == source[at] or letter in " ;()", (source, text))

    def test_what_makes_code_is_refused_with_its_place(self):
        for (source, place, words), got in zip(REFUSED, self.blank([source for source, _, _ in REFUSED])):
            self.assertEqual(got.get("code"), "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX", source)
            self.assertIn(words, got["message"])
            lines = got["stack"].split("\n")
            line, column = place.split(":")
            self.assertEqual(lines[:3], [f"[code]:{line}", source.split("\n")[int(line) - 1], " " * (int(column) - 1) + "^"])

    def test_a_mutated_source_is_blanked_in_place_or_refused(self):
        state = 1
        sources = []
        for _ in range(400):
            state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
            at, length = (state >> 33) % len(SAMPLE), (state >> 20) % 12
            other = (state >> 45) % len(SAMPLE)
            sources.append(SAMPLE[:at] + (SAMPLE[other:other + 3] if state & 64 else "") + SAMPLE[at + length:])
        fine = 0
        for source, got in zip(sources, self.blank(sources)):
            if "text" in got:
                fine += 1
                self.assertEqual(len(got["text"]), len(source))
            else:
                self.assertIn(got["code"], ("ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX", "ERR_INVALID_TYPESCRIPT_SYNTAX"), got)
        self.assertGreater(fine, 20)

    def test_files_import_each_other_by_both_endings(self):
        self.write("b.ts", "export interface S { a: string }\nexport const add = (a: number, b: number): number => a + b;\n")
        self.write("c.mts", "export const c: number = 3;\n")
        self.write("d.cts", "exports.d = require('./e').e as number;\n")
        self.write("e.ts", "exports.e = 4 as const; let q: string;\n")
        main = self.write("a.ts", "import { add, type S } from './b.js';\nimport { c } from './c.mjs';\nimport cjs from './d.cts';\n"
                                  "console.log(add(1, 2), c, cjs.d, /:(\\d+:\\d+)/.exec(new Error('x' as string).stack!.split('\\n')[1])![1].split(':')[0]);\n")
        code, out, err = self.gyre(main)
        self.assertEqual((code, out), (0, "3 3 4 4\n"), err)

    def test_a_sandboxed_program_reads_its_own_files(self):
        self.write("b.mts", "export const b: number = 1;\n")
        main = self.write("a.mts", "import { b } from './b.mts';\nconsole.log(b as number);\n")
        self.assertEqual(self.gyre("--sandbox", main)[:2], (0, "1\n"))

    def test_a_refused_file_ends_the_program_with_the_place(self):
        main = self.write("a.ts", "let a: number = 1;\nenum B {}\n")
        code, _, err = self.gyre(main)
        self.assertEqual(code, 1)
        self.assertTrue(err.startswith(f"{main}:2\nenum B {{}}\n^\n\nSyntaxError [ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX]: an enum"), err)

    def test_packages_are_javascript(self):
        self.write("node_modules/p/index.ts", "export const a: number = 1;\n")
        self.write("node_modules/p/package.json", '{"name": "p", "type": "module", "exports": "./index.ts"}')
        code, _, err = self.gyre(self.write("a.mts", "import 'p';\n"))
        self.assertEqual(code, 1)
        self.assertIn("ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING", err)

    def test_gyre_test_runs_them(self):
        fine = self.write("fine.test.ts", "import test from 'node:test';\ntest('fine', (): void => {});\n")
        bad = self.write("bad.test.mts", "import test from 'node:test';\ntest('bad', (t: any) => { throw new Error('no'); });\n")
        code, out, _ = self.gyre(fine, command="test", engine=False)
        self.assertEqual(code, 0, out)
        self.assertIn("0 of 1 files failed", out)
        code, out, _ = self.gyre(fine, bad, command="test", engine=False)
        self.assertEqual(code, 1, out)
        self.assertIn("1 of 2 files failed", out)
        code, _, err = self.gyre("--filter", "x", bad, command="test", engine=False)
        self.assertEqual(code, 2)
        self.assertIn("--filter", err)


if __name__ == "__main__":
    probe = subprocess.run([GYRE, "run", "-e", "require('module').stripTypeScriptTypes('')"], capture_output=True, text=True, timeout=300, check=False)
    if "sucrase was not fetched" in probe.stderr:
        print("skipped: this build has no TypeScript (./dev setup)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
