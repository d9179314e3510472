// SPDX-License-Identifier: Apache-2.0
console.log('body', this, typeof require);
process.nextTick(() => console.log('tick'));
Promise.resolve().then(() => console.log('micro'));
setImmediate(() => console.log('immediate'));
queueMicrotask(() => console.log('queued'));
await null;
console.log('after await');
process.nextTick(() => console.log('tick 2'));
await new Promise((r) => setTimeout(r, 5));
console.log('after timer');
