# SPDX-License-Identifier: Apache-2.0
"""Vela programs on gyre's loop: actors over several loops, steps in words, futures of the program's own, limits, and
what a hostile program may not do to others.

    loops.test.py PROGRAM"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.path.abspath(sys.argv.pop(1))


class Programs(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def run_text(self, text, *options, timeout=300):
        Path(self.folder, "a.vela").write_text(text)
        return subprocess.run([PROGRAM, "run", *options, "a.vela"], cwd=self.folder, timeout=timeout,
                              capture_output=True, text=True, check=False)

    def on_loops(self, text, *options):
        """The same on one loop and on several, in real and in virtual time."""
        results = {}
        for clock, threads in (("real", "1"), ("real", "3"), ("virtual", "1"), ("virtual", "2")):
            results[clock, threads] = self.run_text(text, "--clock", clock, "--threads", threads, *options)
        return results

    def assert_prints(self, text, expected, code=0):
        for how, result in self.on_loops(text).items():
            with self.subTest(how=how):
                self.assertEqual((result.stdout, result.stderr, result.returncode), (expected, "", code))


COUNTER = """
enum Message { Add(Number), Get(Promise<Number>) }
actor Counter {
  state total: Number = 0
  async fn handleMessage(self, msg: Message) -> void {
    match msg {
      Add(n) => { this.total = this.total + n }
      Get(p) => p.resolve(this.total)
    }
  }
}
"""


class Threads(Programs):
    def test_actors_answer_from_every_loop(self):
        self.assert_prints(COUNTER + """
async fn main() -> void {
  counters = [spawn(Counter::new()), spawn(Counter::new()), spawn(Counter::new())]
  for i in 0..300 { counters[i % 3].send(Add(i)) }
  for c in counters {
    p = Promise<Number>()
    c.send(Get(p))
    print(await p.future())
  }
}
""", "14850\n14950\n15050\n")

    def test_messages_are_copies(self):
        # clause: A35
        self.assert_prints("""
struct Point { x: Number  y: Number }
enum Message { Keep(List<Number>, Map<String, Point>), Show(Promise<String>) }
actor Keeper {
  state items: List<Number> = []
  state points: Map<String, Point> = {}
  async fn handleMessage(self, msg: Message) -> void {
    match msg {
      Keep(items, points) => { this.items = items; this.points = points; this.items.push(99) }
      Show(p) => p.resolve("${this.items} ${this.points}")
    }
  }
}
async fn main() -> void {
  keeper = spawn(Keeper::new())
  other = spawn(Keeper::new())
  items = [1, 2]
  points = {"a": Point(1, 2)}
  keeper.send(Keep(items, points))
  other.send(Keep(items, points))
  items.push(3)
  points.set("b", Point(3, 4))
  for k in [keeper, other] {
    p = Promise<String>()
    k.send(Show(p))
    print(await p.future())
  }
  print(items)
}
""", """[1, 2, 99] {"a": Point { x: 1, y: 2 }}
[1, 2, 99] {"a": Point { x: 1, y: 2 }}
[1, 2, 3]
""")

    def test_references_and_promises_travel(self):
        self.assert_prints("""
enum Message { Pass(Number, List<ActorRef<Ring>>, Promise<Number>) }
actor Ring {
  async fn handleMessage(self, msg: Message) -> void {
    match msg {
      Pass(n, rest, done) => {
        if rest.isEmpty { done.resolve(n) } else { rest[0].send(Pass(n + 1, rest.drop(1), done)) }
      }
    }
  }
}
async fn main() -> void {
  ring = (0..20).map(i => spawn(Ring::new()))
  done = Promise<Number>()
  ring[0].send(Pass(0, ring.drop(1), done))
  print(await done.future())
  print(done.isSettled)
}
""", "19\ntrue\n")

    def test_a_promise_is_settled_once_over_all_loops(self):
        self.assert_prints("""
enum Message { Settle(Promise<Number>, Promise<String>) }
actor Settler {
  async fn handleMessage(self, msg: Message) -> void {
    match msg {
      Settle(first, second) => {
        try { first.resolve(1); second.resolve("first") } catch (e: Error) { second.resolve(e.message) }
      }
    }
  }
}
async fn main() -> void {
  shared = Promise<Number>()
  answers = (0..3).map(i => Promise<String>())
  for answer in answers { spawn(Settler::new()).send(Settle(shared, answer)) }
  texts = (await Future.all(answers.map(a => a.future()))).sorted()
  print(texts)
  print(await shared.future())
}
""", '["Promise already settled", "Promise already settled", "first"]\n1\n')

    def test_errors_sleeps_and_module_constants_work_on_every_loop(self):
        self.assert_prints("""
names: Map<String, Number> = {"one": 1, "two": 2}
class Refused extends Error { }
enum Message { Ask(String, Promise<Number>) }
actor Names {
  async fn handleMessage(self, msg: Message) -> void {
    match msg {
      Ask(name, p) => {
        await sleep(5)
        match names.get(name) {
          Some(n) => p.resolve(n)
          None => p.reject(Refused("no ${name}"))
        }
      }
    }
  }
}
async fn main() -> void {
  asked = ["one", "two", "three"]
  promises = asked.map(n => Promise<Number>())
  for (i, name) in asked.enumerate() { spawn(Names::new()).send(Ask(name, promises[i])) }
  for p in promises {
    try { print(await p.future()) } catch (e: Refused) { print("Refused: ${e.message}") }
  }
}
""", "1\n2\nRefused: no three\n")

    def test_an_actor_that_holds_a_server_stays_where_it_was_made(self):
        self.assert_prints("""
enum Message { Port(Promise<Bool>) }
actor Web {
  server: HttpServer = HttpServer::new("127.0.0.1:0")
  async fn handleMessage(self, msg: Message) -> void {
    match msg { Port(p) => p.resolve(this.server.port > 0) }
  }
}
async fn main() -> void {
  for i in 0..2 {
    p = Promise<Bool>()
    spawn(Web::new()).send(Port(p))
    print(await p.future())
  }
}
""", "true\ntrue\n")

    def test_a_deadlock_is_found_over_all_loops(self):
        text = COUNTER.replace("Get(p) => p.resolve(this.total)", "Get(p) => { await Future.pending() }") + """
async fn main() -> void {
  c = spawn(Counter::new())
  p = Promise<Number>()
  c.send(Get(p))
  print(await p.future())
}
"""
        for how, result in self.on_loops(text, "--stack").items():
            with self.subTest(how=how):
                self.assertEqual((result.stdout, result.returncode), ("", 3))
                self.assertIn("deadlock: main waits on a Future that nothing can settle", result.stderr)
                self.assertIn("at main (a.vela:", result.stderr)
                self.assertIn("at Counter.handleMessage (a.vela:", result.stderr)

    def test_an_exit_of_one_loop_ends_all(self):
        text = """
import 'system:process' show { exit }
enum Message { Leave, Spin }
actor Worker {
  async fn handleMessage(self, msg: Message) -> void {
    match msg {
      Leave => exit(7)
      Spin => { while true { } }
    }
  }
}
async fn main() -> void {
  spawn(Worker::new()).send(Spin)
  spawn(Worker::new()).send(Spin)
  spawn(Worker::new()).send(Leave)
  await Future.pending()
}
"""
        for how, result in self.on_loops(text).items():
            with self.subTest(how=how):
                self.assertEqual(result.returncode, 7)

    def test_a_flood_of_messages_passes_the_memory_limit(self):
        text = """
enum Message { Data(List<Number>) }
actor Slow {
  async fn handleMessage(self, msg: Message) -> void {
    i = 0
    while i < 1000000 { i = i + 1 }
  }
}
async fn main() -> void {
  slow = spawn(Slow::new())
  data = (0..10000).toList()
  while true { slow.send(Data(data)) }
}
"""
        result = self.run_text(text, "--threads", "2", "--memory-limit", "32M")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("--memory-limit", result.stderr)

    def test_a_handler_that_is_interrupted_keeps_other_handlers_out(self):
        self.assert_prints("""
enum Message { Work(Promise<String>) }
actor Busy {
  state inside: Number = 0
  state most: Number = 0
  async fn handleMessage(self, msg: Message) -> void {
    match msg {
      Work(p) => {
        this.inside = this.inside + 1
        if this.inside > this.most { this.most = this.inside }
        i = 0
        while i < 100000 { i = i + 1 }
        this.inside = this.inside - 1
        p.resolve("${this.most}")
      }
    }
  }
}
async fn main() -> void {
  busy = spawn(Busy::new())
  promises = (0..5).map(i => Promise<String>())
  for p in promises { busy.send(Work(p)) }
  print(await Future.all(promises.map(p => p.future())))
}
""", '["1", "1", "1", "1", "1"]\n')

    def test_a_message_with_too_many_levels_is_an_error(self):
        self.assert_prints("""
enum Tree { Leaf, Node(List<Tree>) }
enum Message { Take(Tree) }
actor Taker {
  async fn handleMessage(self, msg: Message) -> void { print("taken") }
}
async fn main() -> void {
  tree = Tree::Leaf
  i = 0
  while i < 5000 {
    tree = Tree::Node([tree])
    i = i + 1
  }
  for taker in [spawn(Taker::new()), spawn(Taker::new())] {
    try { taker.send(Take(tree)) } catch (e: Error) { print(e.message) }
  }
}
""", "a message has more than 2000 values inside each other\n" * 2)


class Steps(Programs):
    def test_of_the_example_of_the_seed(self):
        result = self.run_text("""
async fn fetchNumber(n: Number) -> Number {
  await sleep(10)
  return n
}
async fn example() -> Number {
  x = await fetchNumber(10)
  y = await fetchNumber(5)
  return x + y
}
async fn main() -> void { print(await example()) }
""", "--steps", "--clock", "virtual")
        self.assertEqual((result.stdout, result.returncode), ("15\n", 0))
        steps = [re.sub(r"^step \d+  ", "", line) for line in result.stderr.splitlines()]
        wanted = [
            "task 1: main starts: Start",
            "task 1: main polls example: Start (a.vela:11:39)",
            "task 1: example polls fetchNumber: Start (a.vela:7:13)",
            "task 1: fetchNumber polls sleep: Start (a.vela:3:9)",
            "task 1: sleep polls its timer: Pending, a waker is registered, the task is suspended",
            "task 1: woken: sleep goes on with ()",
            "task 1: sleep ends: Done(())",
            "task 1: fetchNumber ends: Done(10)",
            "task 1: example polls fetchNumber: Start (a.vela:8:13)",
            "task 1: fetchNumber polls sleep: Start (a.vela:3:9)",
            "task 1: sleep polls its timer: Pending, a waker is registered, the task is suspended",
            "task 1: woken: sleep goes on with ()",
            "task 1: sleep ends: Done(())",
            "task 1: fetchNumber ends: Done(5)",
            "task 1: example ends: Done(15)",
            "task 1: main ends: Done(())",
        ]
        self.assertEqual(steps, wanted)

    def test_are_marks_in_the_trace(self):
        result = self.run_text("async fn main() -> void { await sleep(1) }\n", "--trace", "t.json")
        self.assertEqual(result.returncode, 0)
        trace = Path(self.folder, "t.json").read_text()
        self.assertIn("main polls sleep: Start", trace)
        self.assertIn("main ends: Done(())", trace)

    def test_an_uncaught_error_shows_each_frame_across_awaits(self):
        result = self.run_text("""
fn deep(n: Number) -> Number {
  return 1 / n
}
async fn inner() -> Number {
  await sleep(1)
  return deep(0)
}
async fn outer() -> Number {
  return await inner()
}
async fn main() -> void {
  print(await outer())
}
""", "--stack")
        self.assertEqual(result.returncode, 1)
        places = re.findall(r"at (\S+) \(a\.vela:(\d+):", result.stderr)
        self.assertEqual(places, [("deep", "3"), ("inner", "7"), ("outer", "10"), ("main", "13")])


class OwnFutures(Programs):
    def test_a_class_is_polled_once_for_each_wake(self):
        result = self.run_text("""
class Countdown implements Future<String> {
  state left: Number
  state polls: Number = 0
  constructor(n: Number) { this.left = n }
  fn poll(self, waker: Waker) -> Poll<String> {
    this.polls = this.polls + 1
    if this.left == 0 { return Ready("polled ${this.polls} times") }
    this.left = this.left - 1
    setTimeout(() => waker.wake(), 5)
    return Pending
  }
}
class Now implements Future<Number> {
  fn poll(self, waker: Waker) -> Poll<Number> {
    waker.wake()
    return Ready(7)
  }
}
async fn main() -> void {
  print(await Countdown(3))
  one = Countdown(0)
  print(await one)
  print(await one)
  print(await Now().map(n => n + 1))
  print(await Future.all([Countdown(1), Countdown(2)]))
  print(await spawn(Countdown(1)))
  print(await Future.timeout(Countdown(100), 1))
}
""", "--clock", "virtual")
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.stdout, "polled 4 times\npolled 1 times\npolled 1 times\n8\n"
                         '["polled 2 times", "polled 3 times"]\npolled 2 times\n'
                         "Err(TimeoutError: Timeout after 1ms)\n")

    def test_one_that_nobody_wakes_is_a_deadlock(self):
        result = self.run_text("""
class Never implements Future<Number> {
  fn poll(self, waker: Waker) -> Poll<Number> { return Pending }
}
async fn main() -> void { await Never() }
""")
        self.assertEqual(result.returncode, 3)

    def test_one_without_poll_is_refused(self):
        result = self.run_text("class Never implements Future<Number> { }\nfn main() -> void { }\n")
        self.assertEqual(result.returncode, 2)
        self.assertIn("must define `poll`", result.stderr)


class Limits(Programs):
    def test_hostile_programs_end_as_stated(self):
        cases = [
            ("fn main() -> void { while true { } }", ["--time-limit", "100ms"], 4, "--time-limit"),
            ("fn f(n: Number) -> Number { return f(n + 1) + 1 }\nfn main() -> void { print(f(0)) }", [], 1,
             "StackOverflowError"),
            ("async fn f(n: Number) -> Number { return await f(n + 1) }\nasync fn main() -> void { print(await f(0)) }",
             [], 1, "StackOverflowError"),
            ("fn main() -> void {\n  l: List<List<Number>> = []\n  while true { l.push((0..1000).toList()) }\n}",
             ["--memory-limit", "32M"], 4, "--memory-limit"),
            ("async fn main() -> void { await Promise<Number>().future() }", [], 3, "deadlock"),
            ("async fn one() -> void { await Future.pending() }\n"
             "async fn main() -> void {\n  while true { spawn(one()) }\n}", ["--memory-limit", "64M"], 4, "--memory-limit"),
        ]
        for text, options, code, word in cases:
            with self.subTest(text=text):
                result = self.run_text(text + "\n", *options)
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertIn(word, result.stderr)

    def test_an_endless_loop_does_not_hold_up_other_tasks(self):
        result = self.run_text("""
import 'system:process' show { exit }
async fn spin() -> void { while true { } }
async fn main() -> void {
  spawn(spin())
  spawn(spin())
  for i in 0..20 { await sleep(1) }
  print("served")
  exit(0)
}
""")
        self.assertEqual((result.stdout, result.returncode), ("served\n", 0))

    def test_a_future_awaited_twice_gives_its_value_twice(self):
        result = self.run_text("async fn f() -> Number { return 3 }\n"
                               "async fn main() -> void {\n  x = f()\n  print(await x + await x)\n}\n")
        self.assertEqual((result.stdout, result.returncode), ("6\n", 0))


if __name__ == "__main__":
    unittest.main()
