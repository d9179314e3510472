#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gyre:actors: objects of a script as actors, in virtual time.

    actors.test.py GYRE ENGINE
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

GYRE = str(pathlib.Path(sys.argv[1]).resolve())
ENGINE = sys.argv[2]
HEAD = """import { spawn, find, self, ActorError, ActorRef, dump } from 'gyre:actors';
import { setTimeout as sleep } from 'node:timers/promises';
const failure = (promise) => promise.then((value) => `value ${value}`, (error) => `${error.code ?? error.name}: ${error.message}`);
class Counter {
  total;
  constructor(start = 0) { this.total = start; }
  add(n) { this.total += n; return this.total; }
  async addLater(n) { const before = this.total; await sleep(10); this.total = before + n; return this.total; }
  fail(text) { throw new RangeError(text); }
  get secret() { return () => 1; }
}
"""


class Actors(unittest.TestCase):
    def run_text(self, text, *flags):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "main.mjs"
            path.write_text(HEAD + text)
            return subprocess.run([GYRE, "run", "--engine", ENGINE, "--clock", "virtual", *flags, str(path)], capture_output=True, text=True, timeout=300, check=False)

    def prints(self, text, expected, *flags):
        done = self.run_text(text, *flags)
        self.assertEqual(done.stdout, expected, done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_messages_are_handled_in_the_order_they_were_sent(self):
        self.prints("""
            const log = [];
            class Log { note(...words) { log.push(words.join(' ')); } }
            const at = spawn(Log);
            for (let i = 0; i < 100; i += 1) console.assert(at.send('note', [i, 'a']));
            await at.post('note', ['b']);
            await at.ask('note', ['c']);
            console.log(log.length, log[0], log[99], log[100], log[101]);
            """, "102 0 a 99 a b c\n")

    def test_an_idle_actor_lets_the_program_end(self):
        self.prints("const c = spawn(Counter); c.send('add', [1]); console.log(await c.ask('add', [2]));", "3\n")

    def test_values_keep_their_types_and_are_copies(self):
        self.prints("""
            class Echo { give(...values) { this.kept = values; return values; } kept_() { return this.kept[1].list; } }
            const echo = spawn(Echo);
            const object = { list: [1, null, 'x'], deep: { a: true } };
            const [text, back, big, bytes, real, large, nan, zero, none] = await echo.ask('give', ['\\u2028"\\\\', object, 2n ** 70n, Uint8Array.of(0, 255), 0.1 + 0.2, 2 ** 60, NaN, -0, undefined]);
            console.log(text === '\\u2028"\\\\', JSON.stringify(back), big === 2n ** 70n, bytes, real === 0.1 + 0.2, large === 2 ** 60, nan, Object.is(zero, -0), none);
            object.list.push(4);
            console.log(await echo.ask('kept_'));
            """, "true {\"list\":[1,null,\"x\"],\"deep\":{\"a\":true}} true Uint8Array(2) [ 0, 255 ] true true NaN true null\n[ 1, null, 'x' ]\n")

    def test_what_is_no_value_is_refused_at_the_sender(self):
        self.prints("""
            const at = spawn(Counter);
            const loop = {}; loop.loop = loop;
            for (const bad of [() => 1, Symbol('a'), new Map(), new Date(0), loop, { $bytes: 'zz' }, { $actor: 7 }]) {
              try { at.send('add', [bad]); console.log('sent'); } catch (error) { console.log(error.code); }
            }
            try { at.send('add', 1); } catch (error) { console.log(error.code); }
            console.log(await at.ask('add', [1]));
            """, "ERR_INVALID_ARG_TYPE\n" * 4 + "ERR_OUT_OF_RANGE\nERR_INVALID_ARG_VALUE\nERR_INVALID_ARG_VALUE\nERR_INVALID_ARG_TYPE\n1\n")

    def test_an_interleaved_actor_starts_the_next_message_at_an_await_and_an_exclusive_one_does_not(self):
        self.prints("""
            for (const order of ['interleaved', 'exclusive']) {
              const c = spawn(Counter, { order });
              console.log(order, (await Promise.all([c.ask('addLater', [1]), c.ask('addLater', [10])])).join());
            }
            """, "interleaved 1,10\nexclusive 1,11\n")

    def test_only_methods_of_the_class_are_messages(self):
        self.prints("""
            for (const name of ['missing', 'constructor', 'toString', '__proto__', 'secret', 'hasOwnProperty']) {
              console.log(await failure(spawn(Counter).ask(name, [1])));
            }
            try { await spawn(Counter).ask('a\\nb'); } catch (error) { console.log(error.code); }
            """, "".join(f"ERR_ACTOR_FAILED: Counter has no method {name}\n" for name in ["missing", "constructor", "toString", "__proto__", "secret", "hasOwnProperty"]) + "ERR_INVALID_ARG_VALUE\n")

    def test_an_actor_that_throws_stops_goes_on_or_is_made_anew(self):
        self.prints("""
            for (const onFailure of ['stop', 'resume', 'restart']) {
              const c = spawn(Counter, { onFailure, args: [5] });
              await c.ask('add', [1]);
              const first = await failure(c.ask('fail', ['broken']));
              console.log(onFailure, first, '|', await failure(c.ask('add', [1])));
            }
            """, "stop ERR_ACTOR_FAILED: broken | ERR_ACTOR_ENDED: the actor has ended\n"
                 "resume ERR_ACTOR_FAILED: broken | value 7\n"
                 "restart ERR_ACTOR_FAILED: broken | value 6\n")

    def test_an_actor_that_is_restarted_too_often_stops(self):
        self.prints("""
            const c = spawn(Counter, { onFailure: 'restart', restarts: 2 });
            for (let i = 0; i < 3; i += 1) await failure(c.ask('fail', ['broken']));
            await c.ended;
            console.log(c.isEnded, c.send('add', [1]));
            """, "true false\n")

    def test_a_constructor_that_throws_at_a_restart_fails_the_next_message(self):
        self.prints("""
            let made = 0;
            class Once { constructor() { made += 1; if (made === 2) throw new Error('no second one'); } fail() { throw new Error('first'); } ok() { return made; } }
            const c = spawn(Once, { onFailure: 'restart' });
            console.log(await failure(c.ask('fail')));
            console.log(await failure(c.ask('ok')));
            console.log(await failure(c.ask('ok')));
            try { spawn(class { constructor() { throw new Error('never made'); } }); } catch (error) { console.log(error.message); }
            """, "ERR_ACTOR_FAILED: first\nERR_ACTOR_FAILED: no second one\nvalue 3\nnever made\n")

    def test_a_stop_handles_what_waits_and_a_stop_now_drops_it(self):
        self.prints("""
            for (const how of ['stop', 'stopNow']) {
              const c = spawn(Counter, { order: 'exclusive' });
              const asked = [c.ask('addLater', [1]), c.ask('addLater', [1])].map(failure);
              await sleep(1);
              c[how]();
              console.log(how, c.send('add', [1]), (await Promise.all(asked)).map((one) => one.split(':')[0]).join());
              await c.ended;
              console.log(c.isEnded);
            }
            """, "stop false value 1,value 2\ntrue\nstopNow false ERR_ACTOR_ENDED,ERR_ACTOR_ENDED\ntrue\n")

    def test_a_full_mailbox_refuses_a_send_and_lets_a_post_wait(self):
        self.prints("""
            const c = spawn(Counter, { order: 'exclusive', capacity: 2 });
            c.send('addLater', [1]);
            await sleep(1);
            console.log(c.send('add', [1]), c.send('add', [1]), c.send('add', [1]));
            await c.post('add', [1]);
            await sleep(20);
            console.log(await c.ask('add', [0]));
            const dropping = spawn(Counter, { order: 'exclusive', capacity: 1, whenFull: 'drop-oldest' });
            dropping.send('addLater', [1]);
            await sleep(1);
            console.log(dropping.send('add', [1]), dropping.send('add', [10]), await dropping.ask('add', [0]).catch((error) => error.code));
            """, "true true false\n4\ntrue true 1\n")

    def test_calls_end_in_time_or_by_a_signal(self):
        self.prints("""
            class Slow { wait() { return sleep(1000); } }
            const slow = spawn(Slow);
            console.log(await failure(slow.ask('wait', [], { timeout: 10 })));
            const stop = new AbortController();
            const asked = failure(slow.ask('wait', [], { signal: stop.signal }));
            stop.abort(new Error('enough'));
            console.log(await asked);
            console.log(await failure(slow.ask('wait', [], { signal: AbortSignal.abort(new Error('before')) })));
            """, "ERR_ACTOR_TIMEOUT: the actor did not answer in time\nError: enough\nError: before\n")

    def test_names_are_unique_and_found(self):
        self.prints("""
            const c = spawn(Counter, { name: 'hits' });
            console.log(find('hits') === c, c.name, find('none'));
            try { spawn(Counter, { name: 'hits' }); } catch (error) { console.log(error.message); }
            c.stop();
            await c.ended;
            console.log(find('hits'), spawn(Counter, { name: 'hits' }).name);
            """, "true hits undefined\nan actor named 'hits' is there already\nundefined hits\n")

    def test_references_travel_in_messages(self):
        self.prints("""
            class Ping { constructor() { this.seen = []; } begin(pong, n) { pong.send('ping', [self(this), n]); } pong(n) { this.seen.push(n); } all() { return this.seen; } }
            class Pong { ping(from, n) { console.log(from instanceof ActorRef); from.send('pong', [n + 1]); } }
            const [ping, pong] = [spawn(Ping), spawn(Pong)];
            await ping.ask('begin', [pong, 1]);
            await pong.ask('ping', [ping, 2]);
            console.log(await ping.ask('all'));
            """, "true\ntrue\n[ 2, 3 ]\n")

    def test_two_exclusive_actors_that_ask_each_other_are_told(self):
        self.prints("""
            class Side { set(other) { this.other = other; } go() { return this.other.ask('back'); } back() { return 1; } }
            const [a, b] = [spawn(Side, { order: 'exclusive' }), spawn(Side, { order: 'exclusive' })];
            await a.ask('set', [b]);
            await b.ask('set', [a]);
            console.log(await a.ask('go'));
            """, "1\n")

    def test_limits_have_names(self):
        done = self.run_text("""
            class Hold { hold() { return new Promise(() => {}); } }
            const at = spawn(Hold, { capacity: 1000000 });
            const big = 'x'.repeat(2 ** 20);
            let count = 0;
            try { for (; count < 1000; count += 1) at.send('hold', [big]); } catch (error) { console.log(error.name, error.message, count < 256); }
            """)
        self.assertEqual(done.stdout, "RangeError Too many letters of actors wait to be handled (limit: 256 MiB) true\n", done.stderr)
        if ENGINE != "v8":
            return  # An interpreter takes long for so many objects.
        self.prints("""
            class Idle {}
            let made = 0;
            try { for (; ; made += 1) spawn(Idle); } catch (error) { console.log(error.message, made); }
            """, "Too many actors live at a time (limit: 100000) 100000\n")

    def test_a_seed_repeats_a_program_of_actors(self):
        text = """
            class Node { constructor(n) { this.n = n; } async step(left, from) { await sleep(Math.floor(Math.random() * 5)); console.log(this.n, left); if (left > 0) nodes[(this.n + left) % 5].send('step', [left - 1]); } }
            const nodes = [0, 1, 2, 3, 4].map((n) => spawn(Node, { args: [n] }));
            for (const node of nodes) node.send('step', [10]);
            await sleep(500);
            """
        first, again, other = [self.run_text(text, "--seed", seed).stdout for seed in ("1", "1", "2")]
        self.assertEqual(first, again)
        self.assertEqual(len(first.splitlines()), 55)
        self.assertNotEqual(first, other)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
