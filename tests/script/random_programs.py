# SPDX-License-Identifier: Apache-2.0
"""Random JavaScript programs of jobs, whose output is the same on every run, also on a loaded machine.

Timers are set in rounds. A round sets its timers and then blocks longer than their delays, so that
all are due. The next round begins when the loop is empty (beforeExit), never at a time. Only the gaps
between delays depend on the clock: a program is preempted for GAP ms between two statements before its
order changes. Inside of callbacks there are ticks, microtasks, immediates, promises, async functions
and generators, rejections and errors, emitters, event targets and signals. There is no yield* in an async generator: an engine
of before 2023 takes more jobs for it, as the language then said.

With the argument `spin` a program waits by reading the clock, for engines in virtual time and without
Atomics.wait; else it sleeps.
"""
import random

GAP = 40
DELAYS = [1, 1 + GAP, 1 + 2 * GAP]
HEAD = """'use strict';
const log = (text) => console.log(text);
const cell = process.argv[2] === 'spin' ? null : new Int32Array(new SharedArrayBuffer(4));
function block(ms) {
  const end = performance.now() + ms;
  for (let left = ms; left > 0; left = end - performance.now()) if (cell) Atomics.wait(cell, 0, 0, left);
}
const handles = [];
const promises = [];
const rounds = [];
const events = require('node:events');
const waits = require('node:timers/promises');
const storage = new (require('node:async_hooks').AsyncLocalStorage)();
class Sub extends Promise { then(...both) { log('then of a subclass'); return super.then(...both); } }
"""


class Program:
    def __init__(self, seed, is_common):
        self.random = random.Random(seed)
        self.is_common = is_common
        self.number = 0
        self.left = 70  # statements
        self.may_throw = True

    def name(self, kind):
        self.number += 1
        return f"{kind}{self.number}"

    def body(self, depth):
        """The statements of a callback."""
        lines = []
        for _ in range(self.random.randint(1, 3 if depth else 5)):
            if self.left <= 0 or depth > 4:
                break
            self.left -= 1
            lines.append(self.statement(depth))
        return " ".join(lines)

    def callback(self, kind, depth):
        name = self.name(kind)
        end = f" throw new Error('of {name}');" if self.may_throw and self.random.random() < 0.06 else ""
        return f"() => {{ log('{name}'); {self.body(depth + 1)}{end} }}"

    def statement(self, depth):
        choices = [
            (4, self.tick), (4, self.micro), (4, self.then), (4, self.asynchronous), (3, self.immediate),
            (2, self.reject), (1, self.thenable), (1, self.adopt), (1, self.generator), (1, self.combine),
            (1, self.clear), (1, self.late_catch), (1, self.deferred), (1, self.unref), (1, self.finally_),
            (1, self.ended_generator), (1, self.for_await), (1, self.abort), (1, self.promised_immediate),
            (1, self.emitter), (1, self.once), (1, self.emitted), (1, self.captured), (1, self.target), (1, self.tick_of_rejection),
            (1, self.try_finally), (1, self.stored), (1, self.subclass),
        ]
        if self.is_common:
            choices = [choice for choice in choices if choice[1] not in (self.ended_generator, self.for_await)]
        weights = [weight for weight, _ in choices]
        return self.random.choices([make for _, make in choices], weights)[0](depth)

    def tick(self, depth):
        return f"process.nextTick({self.callback('tick', depth)});"

    def micro(self, depth):
        return f"queueMicrotask({self.callback('micro', depth)});"

    def then(self, depth):
        links = "".join(f".then({self.callback('then', depth)})" for _ in range(self.random.randint(1, 3)))
        return f"Promise.resolve(){links}{self.maybe_catch(depth)};"

    def maybe_catch(self, depth):
        return f".catch((e) => log('caught ' + (e && e.message || e)))" if self.random.random() < 0.6 else ""

    def asynchronous(self, depth):
        name = self.name("async")
        awaits = []
        for i in range(self.random.randint(1, 3)):
            value = self.random.choice(["null", "Promise.resolve(1)", "{ then(r) { r(2); } }", "(async () => 3)()"])
            awaits.append(f"await {value}; log('{name}.{i}'); {self.body(depth + 2)}")
        end = f"throw new Error('of {name}');" if self.random.random() < 0.1 else f"return '{name}';"
        return f"(async () => {{ log('{name}'); {' '.join(awaits)} {end} }})(){self.maybe_catch(depth)};"

    def immediate(self, depth):
        return f"handles.push(setImmediate({self.callback('immediate', depth)}));"

    def reject(self, depth):
        name = self.name("reason")
        form = self.random.choice(["promises.push(Promise.reject('{0}'));", "Promise.reject('{0}').catch((e) => log('caught ' + e));",
                                   "promises.push(new Promise((_, no) => no(new Error('{0}'))));"])
        return form.format(name)

    def late_catch(self, depth):
        return "if (promises.length) promises.pop().catch((e) => log('late ' + (e.message || e)));"

    def thenable(self, depth):
        name = self.name("thenable")
        return f"Promise.resolve({{ then(ok) {{ log('{name} then'); ok('{name}'); ok('twice'); }} }}).then(log){self.maybe_catch(depth)};"

    def adopt(self, depth):
        name = self.name("adopt")
        return f"new Promise((ok) => ok(Promise.resolve('{name}'))).then(log); Promise.resolve().then(() => log('{name} a')).then(() => log('{name} b')).then(() => log('{name} c'));"

    def generator(self, depth):
        name = self.name("gen")
        return (f"(async () => {{ async function* g() {{ yield '{name}.1'; await null; yield Promise.resolve('{name}.2'); }} "
                f"for await (const v of g()) {{ log(v); {self.body(depth + 2)} }} }})(){self.maybe_catch(depth)};")

    def ended_generator(self, depth):
        """Calls that wait in the queue of an async generator, and one that ends it."""
        name = self.name("ended")
        end = self.random.choice(["return('{0} r')", "throw(new Error('{0} t'))", "return(Promise.resolve('{0} p'))", "next('{0} n')"]).format(name)
        calls = [f"g.next({i})" for i in range(self.random.randint(1, 3))]
        calls.insert(self.random.randint(0, len(calls)), f"g.{end}")
        body = f"try {{ log('{name} ' + (yield '{name}.1')); yield Promise.resolve('{name}.2'); }} finally {{ log('{name} finally'); {self.body(depth + 2)} }}"
        steps = " ".join(f"{call}.then((r) => log('{name} ' + JSON.stringify(r)), (e) => log('{name} ' + (e && e.message || e)));" for call in calls)
        return f"{{ const g = (async function* () {{ {body} }})(); {steps} }}"

    def for_await(self, depth):
        name = self.name("each")
        end = self.random.choice(["", "break;", f"throw new Error('of {name}');", "continue;"])
        values = self.random.choice(["['a', Promise.resolve('b'), { then(ok) { ok('c'); } }]", "[Promise.resolve('a'), Promise.reject('r').catch(() => 'b')]", "new Set(['a', 'b'])"])
        return f"(async () => {{ for await (const v of {values}) {{ log('{name} ' + v); {self.body(depth + 2)} {end} }} log('{name} ends'); }})(){self.maybe_catch(depth)};"

    def abort(self, depth):
        name = self.name("abort")
        when = self.random.choice(["c.abort();", f"process.nextTick(() => c.abort('{name} why'));", "queueMicrotask(() => c.abort());", "Promise.resolve().then(() => c.abort());"])
        signal = self.random.choice(["c.signal", "AbortSignal.any([c.signal])"])
        return (f"{{ const c = new AbortController(); const s = {signal}; s.onabort = {self.callback('onabort', depth)}; "
                f"s.addEventListener('abort', (e) => {{ log('{name} ' + e.type + ' ' + (s.reason && s.reason.name || s.reason)); {self.body(depth + 2)} }}, {{ once: true }}); {when} }}")

    def promised_immediate(self, depth):
        name = self.name("waits")
        ends = self.random.choice(["", " c.abort();", " process.nextTick(() => c.abort());", " setImmediate(() => c.abort());"])
        return (f"{{ const c = new AbortController(); waits.setImmediate('{name}', {{ signal: c.signal }})"
                f".then((v) => {{ log(v); {self.body(depth + 2)} }}, (e) => log('{name} ' + e.name));{ends} }}")

    def emitter(self, depth):
        name = self.name("event")
        method = self.random.choice(["on", "once", "prependListener"])
        return (f"{{ const e = new events(); e.on('x', () => log('{name} first')); e.{method}('x', {self.callback('listener', depth)}); "
                f"e.emit('x'); e.emit('x'); }}")

    def once(self, depth):
        name = self.name("once")
        emit = self.random.choice([f"e.emit('x', '{name}');", f"process.nextTick(() => e.emit('x', '{name}'));", f"queueMicrotask(() => e.emit('error', new Error('{name}')));"])
        return f"{{ const e = new events(); events.once(e, 'x').then(([v]) => {{ log(v); {self.body(depth + 2)} }}){self.maybe_catch(depth)}; {emit} }}"

    def emitted(self, depth):
        name = self.name("stream")
        end = self.random.choice(["e.emit('error', new Error('of " + name + "'));", "c.abort();", "e.emit('x', 3);"])
        return (f"(async () => {{ const e = new events(); const c = new AbortController(); "
                f"process.nextTick(() => {{ e.emit('x', 1); e.emit('x', 2); {end} }}); "
                f"for await (const [v] of events.on(e, 'x', {{ signal: c.signal }})) {{ log('{name} ' + v); {self.body(depth + 2)} if (v === 3) break; }} }})()"
                f".catch((e) => log('{name} ' + e.name + ' ' + e.message));")

    def captured(self, depth):
        name = self.name("captured")
        return (f"{{ const e = new events({{ captureRejections: true }}); e.on('error', (f) => {{ log('{name} ' + f.message); {self.body(depth + 2)} }}); "
                f"e.on('x', async () => {{ {self.random.choice(['', 'await null;'])} throw new Error('of {name}'); }}); e.emit('x'); }}")

    def target(self, depth):
        name = self.name("target")
        return (f"{{ const t = new EventTarget(); t.addEventListener('x', {self.callback('handler', depth)}); "
                f"t.addEventListener('x', {{ handleEvent(e) {{ log('{name} ' + e.type); }} }}); t.dispatchEvent(new Event('x')); }}")

    def tick_of_rejection(self, depth):
        name = self.name("nested")
        late = f"process.nextTick(() => {{ log('{name} tick'); p.catch((e) => {{ log('{name} ' + e); {self.body(depth + 2)} }}); }});"
        start = self.random.choice([late, f"queueMicrotask(() => {{ log('{name} micro'); {late} }});", f"process.nextTick(() => {{ {late} }});", f"setImmediate(() => {{ {late} }});"])
        return f"{{ const p = Promise.reject('{name}'); {start} }}"

    def try_finally(self, depth):
        name = self.name("try")
        end = self.random.choice(["throw new Error('of " + name + "');", "return;", "await Promise.reject('r');", "await (async () => { throw 1; })();", ""])
        return f"(async () => {{ try {{ await null; {end} }} finally {{ log('{name} finally'); await null; {self.body(depth + 2)} log('{name} ends'); }} }})(){self.maybe_catch(depth)};"

    def stored(self, depth):
        name = self.name("store")
        return f"storage.run('{name}', () => {{ {self.body(depth + 1)} Promise.resolve().then(() => log('in ' + storage.getStore())); process.nextTick(() => log('tick in ' + storage.getStore())); }}); log('out ' + storage.getStore());"

    def subclass(self, depth):
        name = self.name("sub")
        return f"new Sub((ok) => ok('{name}')).then({self.callback('subthen', depth)}).finally(() => log('{name} finally')){self.maybe_catch(depth)};"

    def combine(self, depth):
        name = self.name("combine")
        method = self.random.choice(["all", "race", "allSettled", "any"])
        return f"Promise.{method}([1, Promise.resolve(2), (async () => {{ await null; return '{name}'; }})()]).then((v) => log('{name} ' + JSON.stringify(v)));"

    def clear(self, depth):
        return "if (handles.length) clearImmediate(handles.pop());"

    def unref(self, depth):
        return "if (handles.length) handles[handles.length - 1].unref();"

    def deferred(self, depth):
        name = self.name("deferred")
        return f"{{ let ok; new Promise((r) => {{ ok = r; }}).then(() => log('{name}')); process.nextTick(() => {{ log('{name} resolves'); ok(); }}); }}"

    def finally_(self, depth):
        name = self.name("finally")
        return f"Promise.resolve('{name}').finally({self.callback('finally', depth)}).then(log){self.maybe_catch(depth)};"

    def round(self):
        delays = [self.random.choice(DELAYS) for _ in range(self.random.randint(1, 4))]
        if self.random.random() < 0.5:
            delays.sort()
        timers = [f"timers.push(setTimeout({self.callback('timer', 1)}, {delay}));" for delay in delays]
        if self.random.random() < 0.3:
            timers.append("clearTimeout(timers[timers.length - 1]);")
        if self.random.random() < 0.3:
            name = self.name("interval")
            timers.append(f"{{ let c = 0; const i = setInterval(() => {{ log('{name} ' + c); if (++c === 1) clearInterval(i); }}, {DELAYS[1]}); }}")
        return f"{{ const timers = []; {self.body(0)} {' '.join(timers)} block({DELAYS[-1] + GAP // 2}); }}"

    def later_round(self):
        """In the timers before the first iteration, which are due then, or after a wait for events."""
        name = self.name("round")
        delay, wait = self.random.choice([("2", " block(6);"), (str(GAP), "")])
        return f"rounds.push(() => {{ setTimeout(() => {{ log('{name}'); {self.round()} }}, {delay});{wait} }});"

    def text(self):
        lines = [HEAD]
        if self.random.random() < 0.8:
            again = " process.nextTick(() => log('tick of the handler'));" if self.random.random() < 0.3 else ""
            lines.append(f"process.on('uncaughtException', (e, origin) => {{ log('uncaught ' + (e && e.message || e) + ' ' + origin);{again} }});")
        if self.random.random() < 0.7:
            again = " queueMicrotask(() => log('microtask of the handler'));" if self.random.random() < 0.3 else ""
            throws = " throw new Error('of the handler');" if self.random.random() < 0.1 else ""
            lines.append(f"process.on('unhandledRejection', (r) => {{ log('unhandled ' + (r && r.message || r));{again}{throws} }});")
            lines.append("process.on('rejectionHandled', () => log('rejectionHandled'));")
        lines.append("process.on('exit', (code) => log('exit ' + code));")
        if self.random.random() < 0.3:
            lines.append(f"let dry = 0; process.on('beforeExit', () => {{ log('beforeExit'); if (dry++ < 1) setImmediate({self.callback('revival', 3)}); }});")
        lines.append("process.on('beforeExit', () => { if (rounds.length > 0) rounds.shift()(); });")
        first = self.round()
        lines += [self.later_round() for _ in range(self.random.randint(1, 2))]
        lines.append(first)
        return "\n".join(lines) + "\n"


def program(seed, is_common=False):
    """With is_common, without what QuickJS does in another number of jobs: the ends of async generators, and for await."""
    return Program(seed, is_common).text()
