#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts that try to starve, flood or crash their host end at their limit, with status 4.

    hostile.test.py GYRE [ENGINE]
"""
import subprocess
import sys

TIME = ["--time-limit", "200ms"]
MEMORY = ["--memory-limit", "48M", "--time-limit", "240s"]
POLLUTION = """
const own = Reflect.ownKeys; const define = Object.defineProperty;
const kinds = [Array, Function, Map, Set, WeakMap, Promise, String, Number, Symbol, RegExp, Error, Date];
for (let i = 0; i < kinds.length; i += 1) {
  const keys = own(kinds[i].prototype);
  for (let j = 0; j < keys.length; j += 1) {
    if (keys[j] === 'constructor' || keys[j] === 'length') continue;
    try { define(kinds[i].prototype, keys[j], { get() { throw new Error('polluted'); }, configurable: true }); } catch {}
  }
}
setTimeout(() => { setImmediate(() => process.nextTick(() => queueMicrotask(() => process.exit(3)))); }, 1);
"""
CASES = [
    (TIME, "while (true);", 4, "time limit"),
    (TIME, "(function f() { Promise.resolve().then(f); })()", 4, "time limit"),
    (TIME, "(function f() { process.nextTick(f); })()", 4, "time limit"),
    (TIME, "(function f() { setImmediate(f); })()", 4, "time limit"),
    (TIME, "(function f() { queueMicrotask(f); })()", 4, "time limit"),
    (TIME, "(async () => { for (;;) await 0; })()", 4, "time limit"),
    (TIME, "setInterval(() => {}, 0)", 4, "time limit"),
    (TIME, "setTimeout(() => {}, 1e6)", 4, "time limit"),
    (TIME, "/(a+)+$/.test('a'.repeat(50) + 'b')", 4, "time limit"),
    (TIME, "try { while (true); } finally { while (true); }", 4, "time limit"),
    (TIME, "process.on('exit', () => { while (true); })", 4, "time limit"),
    ([], "process.on('uncaughtException', () => { throw 1; }); throw 2", 7, ""),
    (TIME, "process.on('uncaughtException', () => setImmediate(() => { throw 1; })); throw 2", 4, "time limit"),
    (TIME, "process.on('unhandledRejection', () => Promise.reject(1)); Promise.reject(2)", 4, "time limit"),
    (TIME, "process.on('beforeExit', () => setImmediate(() => {}))", 4, "time limit"),
    (TIME, "try { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); } catch { while (true); }", 4, "time limit"),
    (MEMORY, "const a = []; for (;;) a.push(new Array(1000).fill(1.5));", 4, "memory limit"),
    (MEMORY, "const a = []; for (;;) a.push({ a: [] });", 4, "memory limit"),
    (MEMORY, "const f = []; for (;;) { const b = new Array(100).fill({}); f.push(() => b); }", 4, "memory limit"),
    (MEMORY, "let s = 'x'; const k = []; for (;;) { k.push(s + k.length); s += s.slice(0, 1000); }", 4, "memory limit"),
    (MEMORY, "(function f() { Promise.resolve().then(f); Promise.resolve().then(f); })()", 4, "memory limit"),
    (MEMORY, "(function f() { process.nextTick(f); process.nextTick(f); })()", 4, "memory limit"),
    (MEMORY, "for (;;) setTimeout(() => {}, 1e6)", 4, "memory limit"),
    ([], "function f() { f(); } f()", 1, "RangeError: Maximum call stack size exceeded"),
    ([], "'x'.repeat(2 ** 30)", 1, "RangeError"),
    ([], "process.exit(9)", 9, ""),
    ([], "process.exitCode = 5", 5, ""),
    ([], "setTimeout(() => process.exit(), 5); process.exitCode = 6; setInterval(() => {}, 1)", 6, ""),
    ([], "Error.prepareStackTrace = () => { throw new Error('no'); }; null.x", 1, ""),
    ([], "Object.defineProperty(Error.prototype, 'stack', { get() { throw 1; } }); throw Object.create(Error.prototype)", 1, ""),
    ([], "throw { get message() { throw 1; }, get stack() { throw 2; } }", 1, ""),
    ([], "throw new Proxy({}, { get() { throw 1; } })", 1, ""),
    ([], POLLUTION, 3, ""),
    ([], "Object.defineProperty(Object.prototype, 'then', { get() { throw 1; } }); setTimeout(() => process.exit(3), 1)", 3, ""),
    ([], "Array.prototype.push = Map.prototype.get = Set.prototype.add = Promise.prototype.then = Function.prototype.call = Function.prototype.apply = () => { throw new Error('polluted'); }; (async () => { await null; setTimeout(() => process.exit(3), 1); })()", 3, ""),
    ([], "for (let i = 0; i < 500000; i += 1) Promise.reject(i)", 1, "ERR_UNHANDLED_REJECTION"),
    ([], "let n = 0; for (let i = 0; i < 500000; i += 1) Promise.reject(i); process.on('unhandledRejection', () => { n += 1; }); process.on('exit', () => { process.exitCode = n === 500000 ? 3 : 1; })", 3, ""),
    (TIME, "Promise.resolve({ then(ok) { ok(this); } })", 4, "time limit"),
    ([], "new Promise((ok, no) => { ok(1); no(2); ok(3); throw 4; }).then((v) => { if (v !== 1) process.exit(9); }); Promise.resolve({ then(ok, no) { ok(1); no(2); ok(3); throw 4; } }).then(() => process.exit(3), () => process.exit(8))", 3, ""),
    ([], "Promise.resolve({ get then() { throw new Error('of the getter'); } }).then(() => process.exit(9), (e) => process.exit(e.message === 'of the getter' ? 3 : 8))", 3, ""),
    ([], "for (const name of ['exit', 'beforeExit', 'unhandledRejection', 'rejectionHandled', 'warning', 'uncaughtExceptionMonitor']) process.on(name, () => { throw new Error(name); }); Promise.reject(1)", 7, ""),
    ([], "process.on('exit', () => { throw new Error('at the exit'); })", 1, "at the exit"),
    ([], "const z = require('zlib'); z.gunzipSync(z.gzipSync(Buffer.alloc(1 << 20)), { maxOutputLength: 1000 })", 1, "Cannot create a Buffer larger than 1000 bytes"),
    ([], "const z = require('zlib'); const kept = []; for (;;) kept.push(z.createDeflate())", 1, "limit: 512 MiB"),
    ([], "const z = require('zlib'); let n = 0; (function f() { for (let i = 0; i < 100; i += 1) z.gzipSync('x'); n += 1; if (n < 60) setImmediate(f); else process.exit(3); })()", 3, ""),
    ([], "Buffer.alloc(2 ** 31).toString('hex')", 1, ""),
    (["--clock", "virtual"], "setTimeout(() => console.log('a year'), 2 ** 31 - 1); while (Date.now() < 1700000000050);", 0, ""),
    (["--seed", "3"], "console.log(Math.random())", 0, ""),
]


def main():
    failures = 0
    engine = ["--engine", sys.argv[2]] if len(sys.argv) > 2 else []
    for options, text, status, message in CASES:
        done = subprocess.run([sys.argv[1], "run", *engine, *options, "-e", text], capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != status or message not in done.stderr:
            failures += 1
            print(f"{text}\n  ended with {done.returncode} instead of {status}: {done.stderr.strip()[-300:]}")
    print(f"{len(CASES)} scripts, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
