// SPDX-License-Identifier: Apache-2.0
// Errors in several members of a timer list, an immediate batch and a tick queue, with jobs around.
process.on('uncaughtException', (e) => console.log('uncaught', e.message)); const block = (ms) => { const e = performance.now() + ms; while (performance.now() < e); };
const kind = (set, name) => { for (let i = 0; i < 4; i++) set(() => { console.log(name, i); process.nextTick(() => console.log(name, 'tick', i)); Promise.resolve().then(() => console.log(name, 'micro', i)); if (i % 2 === 1) throw new Error(name + i); }); };
kind((f) => setTimeout(f, 3), 'timer'); kind(setImmediate, 'immediate'); kind(process.nextTick, 'tick'); block(10);
