// SPDX-License-Identifier: Apache-2.0
// Ticks that throw, one after another, with promises in between.
process.on('uncaughtException', (e, o) => { console.log('uncaught', e.message, o); process.nextTick(() => console.log('tick of', e.message)); Promise.resolve().then(() => console.log('micro of', e.message)); });
for (let i = 0; i < 3; i++) { process.nextTick(() => { Promise.resolve().then(() => console.log('p', i)); throw new Error('t' + i); }); queueMicrotask(() => { console.log('q', i); if (i === 1) throw new Error('q1'); }); }
setImmediate(() => { console.log('immediate'); process.nextTick(() => { throw new Error('of immediate'); }); process.nextTick(() => console.log('after')); }); setImmediate(() => console.log('next immediate'));
