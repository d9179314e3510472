# SPDX-License-Identifier: Apache-2.0
"""gyre:db of scripts, on both engines: SQLite, PostgreSQL where it is installed, the sandbox, and cancelled statements.

    database.test.py PROGRAM ENGINE"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from scratch_postgres import PostgresTest  # noqa: E402

ENGINE = sys.argv.pop(2)
PROGRAM = os.path.abspath(sys.argv.pop(1))
TELL = """
import { open, DbError } from 'gyre:db';
const tell = async (what) => {
  try { console.log(await what()); } catch (e) { console.log(e instanceof DbError, e.name, e.kind ?? e.code, e.message); }
};
"""


class Programs(unittest.TestCase):
    def setUp(self):
        super().setUp()
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = os.path.realpath(holder.name)
        for name in ("inside", "outside"):
            os.mkdir(os.path.join(self.folder, name))

    def run_text(self, text, *options, arguments=()):
        Path(self.folder, "a.mjs").write_text(TELL + text)
        result = subprocess.run([PROGRAM, "run", "--engine", ENGINE, *options, "a.mjs", *arguments], cwd=self.folder,
                                timeout=300, capture_output=True, text=True, check=False)
        self.assertEqual((result.stderr, result.returncode), ("", 0), result.stdout)
        return result.stdout.splitlines()


class Sqlite(Programs):
    def test_gives_each_type_back(self):
        lines = self.run_text("""
const db = await open('sqlite::memory:');
const [row] = await db.query('select $1 as n, $2 as i, $3 as r, $4 as t, $5 as x, $6 as b, $7 as big, $8 as j, $9 as "__proto__"',
  [null, 7, 2.5, "it's; drop table t; --", new Uint8Array([0, 255]), true, 9007199254740993n, { a: [1] }, 'own']);
console.log(row.n, row.i, row.r, row.t, row.x, row.b, row.big, row.j, Object.hasOwn(row, '__proto__'));
console.log(await db.execute('create table t (id integer primary key)'), await db.execute('insert into t values ($1), ($2)', [1, 2]));
await tell(() => db.query('insert into t values (1)'));
await tell(() => db.query('selec'));
await tell(() => db.query('select $1', [9223372036854775808n]));
await tell(() => db.query('select $1', [() => 1]));
await tell(() => db.query('select $1', ['a\\0b']));
await tell(() => db.query(7));
await tell(() => db.query('select $1', 'no array'));
db.close();
await tell(() => db.query('select 1'));
await tell(() => open('mysql:x'));
""")
        self.assertEqual(lines[0], "null 7 2.5 it's; drop table t; -- Uint8Array(2) [ 0, 255 ] 1 9007199254740993n "
                         '{"a":[1]} true')
        self.assertEqual(lines[1], "0 2")
        starts = ["true DbError constraint ", "true DbError statement ", "false RangeError|false TypeError", "false TypeError",
                  "false TypeError", "false TypeError", "false TypeError", "true DbError failed the database was closed",
                  "true DbError failed the URL"]
        self.assertEqual(len(lines), 2 + len(starts))
        for line, start in zip(lines[2:], starts):
            self.assertRegex(line, f"^({start})")

    def test_transactions_commit_roll_back_and_nest(self):
        lines = self.run_text("""
const db = await open('sqlite:notes.db');
await db.execute('create table t (i integer)');
const count = async () => (await db.query('select count(*) as n from t'))[0].n;
console.log(await db.transaction(async (t) => { await t.execute('insert into t values (1)'); return 'value'; }), await count());
await tell(() => db.transaction(async (t) => { await t.execute('delete from t'); throw new Error('own'); }));
let kept;
await db.transaction(async (t) => {
  kept = t;
  await tell(() => t.transaction(async (inner) => { await inner.execute('delete from t'); throw new Error('inner'); }));
  await t.execute('insert into t values (2)');
});
console.log(await count());
await tell(() => kept.query('select 1'));
await db.transaction((t) => { t.execute('insert into t values (3)'); });
console.log(await count());
db.close();
""")
        self.assertEqual(lines, ["value 1", "false Error undefined own", "false Error undefined inner", "2",
                                 "true DbError failed the database was closed, or the transaction has ended", "3"])

    def test_a_signal_cancels_a_statement(self):
        lines = self.run_text("""
const db = await open('sqlite:notes.db');
const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n';
const control = new AbortController();
setTimeout(() => control.abort(), 20);
await tell(() => db.query(endless, [], { signal: control.signal }));
await tell(() => db.query('select 1', [], { signal: control.signal }));
await tell(() => db.query('select 1 as one'));
""")
        self.assertEqual(lines, ["false AbortError 20 This operation was aborted"] * 2 + ["[ { one: 1 } ]"])


class Sandbox(Programs):
    def test_holds_for_files_statements_and_servers(self):
        lines = self.run_text("""
await tell(async () => (await open('sqlite:a.db')).execute("attach database '../outside/b.db' as b"));
await tell(() => open('sqlite:../outside/c.db'));
await tell(() => open('postgres://a:secret@127.0.0.1:2/x'));
await tell(async () => (await open('sqlite::memory:')).query('select 1 as one'));
""", "--sandbox", "--allow", "fs=inside", "--allow", f"fs={self.folder}/a.mjs")
        self.assertRegex(lines[0], "not authorized|authorization denied")
        self.assertRegex(lines[1], "refused .*is not permitted")
        self.assertRegex(lines[2], "refused 127.0.0.1:2 is not permitted: --allow net=127.0.0.1:2")
        self.assertEqual(lines[3], "[ { one: 1 } ]")
        self.assertEqual(os.listdir(os.path.join(self.folder, "outside")), [])


class Postgres(Programs, PostgresTest):
    def test_gives_each_type_back(self):
        lines = self.run_text("""
const db = await open(process.argv[2]);
const [row] = await db.query(`select $1::bigint as i, $2::float8 as r, $3::text as t, $4::bytea as x, $5::boolean as b, $6::jsonb as j,
  $7::timestamptz as d, 1.50::numeric as n, array[1, 2] as l, null as z`,
  [-7n, 2.5, "it's", new Uint8Array([1, 255]), false, { a: [1] }, new Date(0)]);
console.log(row.i, row.r, row.t, row.x, row.b, row.j.a[0], row.d, row.n, row.l, row.z);
await tell(() => db.query('select * from nothing'));
const control = new AbortController();
setTimeout(() => control.abort(), 100);
await tell(() => db.query('select pg_sleep(600) /* cancelled here */', [], { signal: control.signal }));
let active;  // The server tells of the cancel before it counts the session as idle.
do {
  active = await db.query("select count(*)::integer as n from pg_stat_activity where query like '%cancelled ' || 'here%' and state = 'active'");
} while (active[0].n > 0);
console.log(active);
db.close();
""", arguments=[self.url])
        self.assertRegex(lines[0], r"^-7 2\.5 it's Uint8Array\(2\) \[ 1, 255 \] false 1 1970-01-01 00:00:00.* 1\.50 \{1,2\} null$")
        self.assertTrue(lines[1].startswith("true DbError statement "), lines[1])
        self.assertEqual(lines[2:], ["false AbortError 20 This operation was aborted", "[ { n: 0 } ]"])


if __name__ == "__main__":
    unittest.main()
