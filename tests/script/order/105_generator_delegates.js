// SPDX-License-Identifier: Apache-2.0
// yield* over async, sync and hand-made iterators, with return passed on.
const made = (name, n) => ({ [Symbol.asyncIterator]() { return this; }, next(v) { console.log(name, 'next', v); return n-- > 0 ? { value: name + n, done: false } : { value: 'end of ' + name, done: true }; }, return(v) { console.log(name, 'return', v); return { value: v, done: true }; } });
async function* outer() { console.log(yield* made('a', 1)); console.log(yield* [1, Promise.resolve(2)]); console.log(yield* (function* () { yield 's'; return 'sr'; })()); console.log(yield* (async function* () { yield 'as'; return 'ar'; })()); yield* made('b', 5); }
(async () => { let n = 0; for await (const v of outer()) { console.log('value', v); if (++n === 7) break; } console.log('ended'); })();
process.nextTick(() => console.log('tick')); setImmediate(() => console.log('immediate'));
