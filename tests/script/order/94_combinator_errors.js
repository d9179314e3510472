// SPDX-License-Identifier: Apache-2.0
// Combinators with iterables that fail, closers, and resolve functions that throw.
const say = (l) => [(v) => console.log(l, 'ok', v), (e) => console.log(l, 'no', e?.constructor?.name, e?.message ?? e, e?.errors)];
const it = (f) => ({ [Symbol.iterator]() { return { next: f, return() { console.log('closed'); return {}; } }; } });
for (const m of ['all', 'allSettled', 'any', 'race']) { Promise[m]().then(...say(m + ' none')); Promise[m]([]).then(...say(m + ' empty')); Promise[m](it(() => { throw new Error('next'); })).then(...say(m + ' next')); Promise[m]([Promise.reject('r'), 1, { then(a, b) { b('th'); } }]).then(...say(m + ' mixed')); }
class T extends Promise { static resolve() { throw new Error('resolve'); } } T.all([1, 2]).then(...say('throwing resolve')); try { Promise.all.call(undefined, []); } catch (e) { console.log(e.name); }
