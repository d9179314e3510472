# SPDX-License-Identifier: Apache-2.0
"""system:db on real databases: files of SQLite, PostgreSQL where it is installed, the sandbox, and cancelled statements.

    database.test.py PROGRAM"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from scratch_postgres import PostgresTest  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))

TELL = """
import 'system:db'
import 'system:process'
async fn tell(sql: String, db: Database) -> void {
  try { print(await db.query(sql)) } catch (e: DbError) { print("${e.kind} ${e.message}") }
}
async fn open(url: String) -> void {
  try {
    db = await Database.open(url)
    await tell("select 1 as one", db)
    db.close()
  } catch (e: DbError) { print("${e.kind} ${e.message}") }
}
"""


class Programs(unittest.TestCase):
    def setUp(self):
        super().setUp()
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = os.path.realpath(holder.name)
        for name in ("inside", "outside"):
            os.mkdir(self.path(name))

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_text(self, text, *options, arguments=()):
        Path(self.path("a.vela")).write_text(text)
        result = subprocess.run([PROGRAM, "run", *options, "a.vela", *arguments], cwd=self.folder, timeout=300,
                                capture_output=True, text=True, check=False)
        self.assertEqual((result.stderr, result.returncode), ("", 0))
        return result.stdout.splitlines()


class Files(Programs):
    def test_of_sqlite_keep_what_was_committed(self):
        text = TELL + """
async fn main() -> void {
  db = await Database.open("sqlite:notes.db")
  await db.execute("create table if not exists notes (text)")
  await db.execute("insert into notes values ($1)", [Text(args[0])])
  await tell("select count(*) as n from notes", db)
}
"""
        self.assertEqual(self.run_text(text, arguments=["one"]), ['[{"n": Int(1)}]'])
        self.assertEqual(self.run_text(text, arguments=["two"]), ['[{"n": Int(2)}]'])

    def test_a_cancelled_statement_ends_and_a_cancelled_transaction_is_rolled_back(self):
        text = TELL + """
async fn main() -> void {
  endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
  db = await Database.open("sqlite:notes.db")
  await db.execute("create table notes (i integer)")
  count = spawn(db.query(endless))
  await sleep(20)
  print(count.cancel())
  try { await count } catch (e: CancelledError) { print(e.message) }
  insert = spawn(db.transaction(async (t: Database) => {
    await t.execute("insert into notes values ($1)", [1])
    await t.query(endless)
  }))
  await sleep(20)
  insert.cancel()
  try { await insert } catch (e: CancelledError) { print(e.message) }
  print(await Future.timeout(db.execute("insert into notes values (2)"), 300000))
  await tell("select i from notes", db)
}
"""
        self.assertEqual(self.run_text(text), ["true", "the task was cancelled", "the task was cancelled", "Ok(1)",
                                               '[{"i": Int(2)}]'])


class Sandbox(Programs):
    def opened(self, *urls, allow=("fs=inside",)):
        lines = "".join(f'  await open("{url}")\n' for url in urls)
        options = [word for one in allow for word in ("--allow", one)]
        return self.run_text(TELL + "async fn main() -> void {\n" + lines + "}\n", "--sandbox", *options)

    def test_of_files_permits_a_folder_and_memory(self):
        os.symlink(self.path("outside"), self.path("inside/link"))
        lines = self.opened("sqlite:a.db", f"sqlite:{self.path('inside/b.db')}", "sqlite::memory:", "sqlite:../outside/c.db",
                            f"sqlite:{self.path('outside/c.db')}", "sqlite:link/c.db", "sqlite:file:../outside/c.db")
        self.assertEqual(lines[:3], ['[{"one": Int(1)}]'] * 3)
        for line in lines[3:6]:
            self.assertRegex(line, "^refused .*(is not permitted|leads out of the permitted folder)")
        self.assertEqual(os.listdir(self.path("outside")), [])

    def test_of_files_holds_without_a_permission(self):
        lines = self.opened("sqlite::memory:", "sqlite:a.db", allow=())
        self.assertEqual(lines[0], '[{"one": Int(1)}]')
        self.assertIn("--allow fs=DIR", lines[1])

    def test_of_files_holds_for_statements(self):
        text = TELL + """
async fn main() -> void {
  db = await Database.open("sqlite:a.db")
  await db.execute("create table t (i)")
  await tell("attach database 'FOLDER/outside/b.db' as b", db)
  await tell("attach database 'inside/b.db' as b", db)
  await tell("vacuum into 'FOLDER/outside/c.db'", db)
  await tell("pragma temp_store_directory = 'FOLDER/outside'", db)
  await tell("select load_extension('FOLDER/outside/x.so')", db)
  await tell("vacuum", db)
  await tell("attach database ':memory:' as m", db)
}
"""
        lines = self.run_text(text.replace("FOLDER", self.folder), "--sandbox", "--allow", "fs=inside")
        for line in lines[:5]:
            self.assertRegex(line, "not authorized|authorization denied")
        self.assertEqual(lines[5:], ["[]", "[]"])
        self.assertEqual(os.listdir(self.path("outside")), [])

    def test_of_servers_permits_a_place(self):
        lines = self.opened("postgres://a:secret@127.0.0.1:1/x", "postgres://a:secret@127.0.0.1:2/x", f"postgres:///x?host={self.folder}",
                            allow=("net=127.0.0.1:1",))
        self.assertTrue(lines[0].startswith("unreachable "), lines[0])
        self.assertEqual(lines[1], "refused 127.0.0.1:2 is not permitted: --allow net=127.0.0.1:2")
        self.assertTrue(lines[2].startswith("refused "), lines[2])
        self.assertNotIn("secret", "".join(lines))


class Postgres(Programs, PostgresTest):
    def test_gives_each_type_its_variant(self):
        text = TELL + """
async fn main() -> void {
  db = await Database.open(args[0])
  sql = "select true as b, 7::bigint as i, 2.5::float8 as f, 1.50::numeric as d, 'é'::text as t, '{\\"a\\": 1}'::jsonb as j, '\\\\x0102'::bytea as y, null as n, array[1, 2] as l"
  for row in await db.query(sql) {
    for name in row.names() { print("${name} ${row.get(name)}") }
    print(row.blob("y").get(1))
  }
  print(await db.query("select $1::bigint + 1 as i, $2::text || '!' as t, $3::float8 as f, $4::text as n", [1, "it's", 2.5, Null]))
  try { await db.query("select * from nothing") } catch (e: DbError) { print("${e.kind} ${e.code}") }
  try { await db.query("select $1::integer", ["x"]) } catch (e: DbError) { print(e.kind) }
}
"""
        self.assertEqual(self.run_text(text, arguments=[self.url]), [
            "b Some(Int(1))", "i Some(Int(7))", "f Some(Real(2.5))", 'd Some(Text("1.50"))', 't Some(Text("é"))',
            'j Some(Text("{\\"a\\": 1}"))', "y Some(Blob(<Bytes>))", "n Some(Null)", 'l Some(Text("{1,2}"))', "Some(2)",
            '[{"i": Int(2), "t": Text("it\'s!"), "f": Real(2.5), "n": Null}]', "statement 42P01", "mismatch",
        ])

    def test_a_cancelled_statement_ends_on_the_server(self):
        text = TELL + """
async fn main() -> void {
  db = await Database.open(args[0])
  waiting = spawn(db.query("select pg_sleep(600) /* cancelled here */"))
  await sleep(100)
  waiting.cancel()
  try { await waiting } catch (e: CancelledError) { print(e.message) }
  # The server tells of the cancel before it counts the session as idle.
  sql = "select count(*) as n from pg_stat_activity where query like '%cancelled ' || 'here%' and state = 'active'"
  while (await db.query(sql))[0].number("n") > 0 { }
  await tell(sql, db)
}
"""
        self.assertEqual(self.run_text(text, arguments=[self.url]), ["the task was cancelled", '[{"n": Int(0)}]'])

    def test_the_example_runs_on_it_too(self):
        example = Path(__file__).resolve().parents[2] / "examples/vela/13_notes.vela"
        result = subprocess.run([PROGRAM, "run", example, self.url], timeout=300, capture_output=True, text=True,
                                check=False)
        self.assertEqual((result.stdout, result.stderr), (example.with_suffix(".out").read_text(), ""))


if __name__ == "__main__":
    unittest.main()
