# SPDX-License-Identifier: Apache-2.0
"""gyre runs: durable runs from outside of their workers.

    runs.test.py PROGRAM"""

import json
import tempfile
import unittest
from pathlib import Path

import program
from program import gyre


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.store = f"sqlite:{self.folder.name}/runs.db"

    def runs(self, *words, code=0):
        done = gyre("runs", *words, "--store", self.store)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_a_run_is_started_told_and_cancelled(self):
        self.runs("start", "order-7", "checkout", '["Ada", 3]')
        self.assertIn("already", self.runs("start", "order-7", "checkout", code=1).stderr)
        self.runs("signal", "order-7", "paid", '{"cents": 1200}')
        self.runs("cancel", "order-7", "not wanted")
        line = json.loads(self.runs("list", "--json").stdout)
        self.assertEqual((line["key"], line["status"], line["entry"]),
                         ("order-7", "open", "checkout"))
        self.assertIn("order-7", self.runs("list", "--status", "open").stdout)
        self.assertEqual(self.runs("list", "--status", "done").stdout, "")
        self.assertIn("no runs", self.runs("list", "--queue", "other").stderr)

    def test_a_run_is_shown_in_words_and_as_json(self):
        self.runs("start", "a", "main", "--version", "2", "--queue", "mail")
        words = self.runs("show", "a").stdout
        self.assertIn("a: open", words)
        self.assertIn("main of version 2, queue mail", words)
        shown = json.loads(self.runs("show", "a", "--json").stdout)
        self.assertEqual(shown["answers"], [])
        self.assertEqual(shown["version"], "2")

    def test_what_cannot_be_done_is_one_line(self):
        self.runs("start", "a", "main")
        for words, said in ((("show", "b"), "there is no run 'b'"),
                            (("signal", "b", "go"), "there is no run 'b'"),
                            (("cancel", "b"), "there is no run 'b'"),
                            (("retry", "b"), "there is no run 'b'"),
                            (("retry", "a"), "run 'a' is not failed, but open")):
            error = self.runs(*words, code=1).stderr
            self.assertIn(said, error)
            self.assertEqual(error.count("\n"), 1, error)

    def test_a_wrong_command_line_is_refused(self):
        self.runs("start", "a", "main")
        for words in (("signal", "a", "go", "{"), ("start", "b", "main", "7"), ("list", "--status", "odd"),
                      ("nonsense",), ("gc", "--days", "-1"), ("show",)):
            self.runs(*words, code=2)
        nowhere = gyre("runs", "list", "--store", f"sqlite:{self.folder.name}/nothing.db")
        self.assertEqual(nowhere.returncode, 2)
        self.assertIn("there is no store of runs", nowhere.stderr)
        self.assertFalse(Path(self.folder.name, "nothing.db").exists())

    def test_a_schedule_is_set_changed_and_removed(self):
        self.runs("schedule", "report", "30 3 * * mon-fri", "make_report", '["Ada"]', "--zone", "+01:00",
                  "--catch-up", "3", "--queue", "mail")
        line = json.loads(self.runs("schedules", "--json").stdout)
        self.assertEqual((line["name"], line["cron"], line["zone"], line["entry"], line["queue"], line["catch_up_max"]),
                         ("report", "30 3 * * mon-fri", "+01:00", "make_report", "mail", 3))
        self.assertIn("02:30:00+00", line["next"])
        self.assertIn("make_report", self.runs("schedules").stdout)
        self.runs("schedule", "report", "@hourly", "other")
        self.assertEqual(json.loads(self.runs("schedules", "--json").stdout)["cron"], "@hourly")
        self.runs("unschedule", "report")
        self.assertIn("there is no schedule 'report'", self.runs("unschedule", "report", code=1).stderr)
        self.assertIn("no schedules", self.runs("schedules").stderr)

    def test_a_wrong_schedule_or_limit_is_refused(self):
        for words in (("schedule", "a", "60 * * * *", "main"), ("schedule", "a", "@daily"),
                      ("schedule", "a", "@daily", "main", "--zone", "CET"), ("limit", "q", "--per-second", "0"),
                      ("limit", "q", "--running", "-1")):
            self.runs(*words, code=2)
        self.runs("schedule", "a", "@daily", "main", "--catch-up", "1001", code=1)

    def test_a_queue_is_limited(self):
        self.assertIn("3 at once, any number a second", self.runs("limit", "mail", "--running", "3").stderr)
        self.assertIn("any number at once, 2.5", self.runs("limit", "mail", "--per-second", "2.5").stderr)

    def test_what_ended_long_ago_is_forgotten(self):
        self.runs("start", "a", "main")
        self.assertEqual(self.runs("gc").stdout, "removed 0 runs\n")


if __name__ == "__main__":
    program.take_program()
    unittest.main()
