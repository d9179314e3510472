// SPDX-License-Identifier: Apache-2.0
// A mutex and a queue of promises, as programs write them.
class Mutex { #last = Promise.resolve(); run(f) { const next = this.#last.then(f, f); this.#last = next.catch(() => {}); return next; } } const m = new Mutex(); const log = console.log; const wait = () => new Promise(setImmediate);
for (let i = 0; i < 4; i++) m.run(async () => { log('in', i); await (i % 2 ? wait() : null); log('out', i); if (i === 2) throw new Error('two'); return i; }).then((v) => log('done', v), (e) => log('failed', e.message)); m.run(() => log('sync')); process.nextTick(() => m.run(() => log('of tick'))); setImmediate(() => log('immediate'));
