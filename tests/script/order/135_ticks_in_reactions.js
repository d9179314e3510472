// SPDX-License-Identifier: Apache-2.0
// Ticks and microtasks that queue each other, three levels deep, in a timer.
const deep = (l, n) => { console.log(l); if (n) { process.nextTick(deep, l + ' t', n - 1); Promise.resolve().then(() => deep(l + ' p', n - 1)); queueMicrotask(() => deep(l + ' q', n - 1)); } };
setTimeout(() => { process.nextTick(deep, 'T', 2); Promise.resolve().then(() => deep('P', 2)); setImmediate(() => deep('I', 1)); });
