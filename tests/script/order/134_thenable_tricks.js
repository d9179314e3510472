// SPDX-License-Identifier: Apache-2.0
// Thenables that settle twice, throw late, call both, or are promises of another kind.
const say = (l) => [(v) => console.log(l, 'ok', v), (e) => console.log(l, 'no', e?.message ?? e)];
Promise.resolve({ then(a, b) { a(1); b(2); throw 3; } }).then(...say('both')); Promise.resolve({ then(a, b) { b(1); a(2); } }).then(...say('no first'));
Promise.resolve({ then() { throw new Error('t'); } }).then(...say('throws')); Promise.resolve({ get then() { throw new Error('g'); } }).then(...say('getter'));
Promise.resolve({ then: 5 }).then((v) => console.log('not callable', typeof v)); new Promise((ok) => ok({ then(a) { setImmediate(a, 'later'); a({ then(b) { b('inner'); } }); } })).then(...say('nested'));
const p = new Promise((ok) => setImmediate(() => ok(p))); p.then(...say('self')); (async () => { try { await { then(a, b) { b('awaited'); } }; } catch (e) { console.log('caught', e); } })();
Promise.resolve(function f() {}).then((v) => console.log(typeof v)); const f = () => {}; f.then = (ok) => ok('function'); Promise.resolve(f).then(...say('fn'));
process.nextTick(() => console.log('tick'));
