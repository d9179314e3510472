// SPDX-License-Identifier: Apache-2.0
// Errors in listeners of an EventTarget come in ticks of their own.
process.on('uncaughtException', (e, o) => console.log('uncaught', e.message, o)); const t = new EventTarget();
t.addEventListener('x', () => { console.log(1); process.nextTick(() => console.log('tick 1')); throw new Error('one'); }); t.addEventListener('x', async () => { console.log(2); throw new Error('two'); }); t.addEventListener('x', () => { console.log(3); queueMicrotask(() => console.log('micro')); throw new Error('three'); });
process.nextTick(() => console.log('tick 0')); console.log(t.dispatchEvent(new Event('x'))); process.nextTick(() => console.log('tick 4')); Promise.resolve().then(() => console.log('promise'));
