# SPDX-License-Identifier: Apache-2.0
"""gyre sql with SQLite and a PostgreSQL server of its own: as a command, through a pipe, and on a pseudo-terminal.

    sql.test.py PROGRAM"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import program
from program import environment, gyre

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from scratch_postgres import Server  # noqa: E402
from terminal import Terminal  # noqa: E402

SERVER = Server()
POSTGRES = SERVER.url
ENDLESS = "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c"
SLEEPING = ("select count(*) as n from pg_stat_activity where query like '%pg_sleep(600)%' and state = 'active' "
            "and pid <> pg_backend_pid()")


def tearDownModule():
    SERVER.remove()


def wait_until(check):
    for _ in range(600):
        if check():
            return
        time.sleep(0.1)
    raise AssertionError("it never comes true")


def sleeping_count():
    return json.loads(gyre("sql", POSTGRES, SLEEPING, "--format", "json").stdout)[0]["n"]


class SqlTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.home = scratch.name
        self.sqlite = f"sqlite:{self.home}/test.db"

    def needs_postgres(self):
        SERVER.needed_by(self)

    def urls(self):
        yield self.sqlite
        if SERVER.is_there:
            yield POSTGRES

    def said(self, *arguments, **options):
        result = gyre("sql", *arguments, **options)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout


class Command(SqlTest):
    def test_a_table_has_aligned_columns(self):
        for url in self.urls():
            text = self.said(url, "select 1 as n, 'naïve ☃' as word union all select 12345, null order by 1")
            self.assertEqual(text, "    n | word\n------+--------\n    1 | naïve ☃\n12345 | NULL\n(2 rows)\n", url)
            self.assertEqual(self.said(url, "select 1 as n where 1 = 2"), "n\n-\n(0 rows)\n", url)

    def test_statements_run_in_order_and_changes_are_counted(self):
        for url in self.urls():
            text = self.said(url, "drop table if exists t; create table t (n int); insert into t values (1), (2);"
                             "update t set n = 3 where n = 2; -- ;\nselect ';' as a, sum(n) as b from t")
            self.assertEqual(text.splitlines()[-6:],
                             ["2 rows changed", "1 row changed", "a | b", "--+--", "; | 4", "(1 row)"], url)

    def test_csv_and_json(self):
        query = "select 1 as n, 'a,\"b\"' as \"x,y\", null as z, '' as empty, 1.5 as f"
        for url in self.urls():
            self.assertEqual(self.said(url, query, "--format", "csv"),
                             'n,"x,y",z,empty,f\n1,"a,""b""",,"",1.5\n', url)
            text = self.said(url, query + " union all select 2, 'q', null, '', 2.5 order by 1", "--format", "json")
            self.assertEqual(json.loads(text), [{"n": 1, "x,y": 'a,"b"', "z": None, "empty": "", "f": 1.5},
                                                {"n": 2, "x,y": "q", "z": None, "empty": "", "f": 2.5}], url)
            self.assertEqual(self.said(url, "select 1 as n where 1 = 2", "--format", "json"), "[]\n", url)

    def test_json_of_the_types_of_postgresql(self):
        self.needs_postgres()
        text = self.said(POSTGRES, "select true as t, '{\"a\": [1]}'::jsonb as j, array[1, null] as i, "
                         "array['a\"', 'NULL'] as w, 'NaN'::numeric as nan, 1e30::numeric as big, "
                         "array[[1, 2], [3, 4]] as m, '2024-01-02'::date as d, '\\x00ff'::bytea as b", "--format", "json")
        self.assertEqual(json.loads(text)[0], {
            "t": True, "j": {"a": [1]}, "i": [1, None], "w": ['a"', "NULL"], "nan": "NaN", "big": 10 ** 30,
            "m": [[1, 2], [3, 4]], "d": "2024-01-02", "b": "\\x00ff"})

    def test_nothing_moves_the_cursor(self):
        text = self.said(self.sqlite, "select char(27) || '[2J' || char(10) || char(155) || 'x' as a, "
                         "cast(x'ff41' as text) as b")
        self.assertIn("\\x1b[2J\\n\\x9bx", text)
        self.assertIn("\N{REPLACEMENT CHARACTER}A", text)

    def test_errors_are_one_line(self):
        for url in self.urls():
            result = gyre("sql", url, "select 7 as n; slect 1; select 8")
            self.assertEqual(result.returncode, 1)
            self.assertIn("7", result.stdout)
            self.assertNotIn("8", result.stdout)
            self.assertRegex(result.stderr, r"\Agyre sql: 'slect 1'.*: .*syntax error.*\[42601\]\n\Z")
        self.assertEqual(gyre("sql", "mysql://x", "select 1").returncode, 2)
        self.assertIn("postgres://", gyre("sql", "mysql://x", "select 1").stderr)
        result = gyre("sql", "postgres://ada:secret@/x?host=/nowhere", "select 1")
        self.assertEqual(result.returncode, 1)
        self.assertNotIn("secret", result.stderr)

    def test_standard_input_is_run_up_to_the_first_error(self):
        for url in self.urls():
            script = "drop table if exists s;\ncreate table s (n int);\nbegin;\ninsert into s\nvalues (1);\ncommit;\n" \
                     "select n from s;\nslect;\nselect 8;\n"
            result = gyre("sql", url, "--format", "csv", input=script)
            self.assertEqual((result.returncode, result.stdout), (1, "n\n1\n"), url)
            self.assertIn("\n  slect\n  ^\n", result.stderr)

    def test_a_time_limit_cancels(self):
        self.assertEqual(gyre("sql", self.sqlite, ENDLESS, "--timeout", "0.3").returncode, 1)
        self.needs_postgres()
        result = gyre("sql", POSTGRES, "select pg_sleep(600)", "--timeout", "0.3")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no answer within", result.stderr)
        wait_until(lambda: sleeping_count() == 0)

    def interrupt(self, url, query, until):
        process = subprocess.Popen([program.PROGRAM, "sql", url, query], env=environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until(until)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4, errors)
        self.assertIn("stopped by", errors)

    def test_ctrl_c_cancels_in_the_database(self):
        self.interrupt(self.sqlite, ENDLESS, lambda: os.path.exists(f"{self.home}/test.db"))
        self.needs_postgres()
        self.interrupt(POSTGRES, "select pg_sleep(600)", lambda: sleeping_count() == 1)
        wait_until(lambda: sleeping_count() == 0)

    def test_many_rows_need_little_memory(self):
        self.needs_postgres()
        with open(os.devnull, "wb") as nothing:
            process = subprocess.Popen(
                [program.PROGRAM, "sql", POSTGRES, "select i, repeat('x', 100) from generate_series(1, 1000000) as t(i)",
                 "--format", "csv"], env=environment(), stdout=nothing)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(status, 0)
        # A sanitizer keeps what was freed: up to 256 MiB.
        self.assertLess(usage.ru_maxrss, 600 * 1024 if "GYRE_SANITIZED" in os.environ else 60 * 1024)


class Prompt(SqlTest):
    def start(self, url):
        terminal = Terminal([program.PROGRAM, "sql", url], self.home)
        terminal.wait_for("sql> ")
        return terminal

    def test_a_person_types_statements(self):
        for url in self.urls():
            terminal = self.start(url)
            for line, answer in [("drop table if exists people;", "changed"),
                                 ("create table people (id int);", "changed"),
                                 ("begin;", "changed"), ("insert into people values (7);", "1 row changed"),
                                 ("rollback;", "changed"),
                                 ("select count(*) as c from people;", r"\r\n0\r\n\(1 row\)"),
                                 ("slect 1;", r"syntax error.*\r\n  slect 1\r\n  \^\r\n"),
                                 (":format json", ""), ("select 1 as n;", r'\[\r\n  \{"n": 1\}\r\n\]'),
                                 (":tables", r"\r\npeople\r\n"), (":what", "no command")]:
                terminal.type(line + "\r")
                terminal.wait_for(answer)
                terminal.wait_for("sql> ")
            terminal.type("select 5 as\r")
            terminal.wait_for(r"  \.\.\. ")
            terminal.type("five;\r")
            terminal.wait_for('"five": 5')
            terminal.wait_for("sql> ")
            terminal.type("select count(*) as c from peo\t;\r")
            terminal.wait_for('"c": 0')
            terminal.wait_for("sql> ")
            self.assertEqual(terminal.leave(), 0)

    def test_ctrl_c_cancels_in_the_database_and_the_prompt_survives(self):
        for url, query, is_running in [(self.sqlite, ENDLESS, None), (POSTGRES, "select pg_sleep(600)", sleeping_count)]:
            if is_running:
                self.needs_postgres()
            terminal = self.start(url)
            terminal.type("select 1 as n;\r")
            terminal.wait_for(r"\(1 row\)")
            terminal.wait_for("sql> ")
            terminal.type(query + ";\r")
            if is_running:
                wait_until(lambda: sleeping_count() == 1)
            else:
                time.sleep(0.3)
            terminal.type("\x03")
            terminal.wait_for("interrupted\r\n")
            terminal.wait_for("sql> ")
            if is_running:
                self.assertEqual(sleeping_count(), 0)
            terminal.type("select 40 + 2 as answer;\r")
            terminal.wait_for(r"\r\n +42\r\n")
            terminal.wait_for("sql> ")
            self.assertEqual(terminal.leave(), 0)


if __name__ == "__main__":
    program.take_program()
    unittest.main()
