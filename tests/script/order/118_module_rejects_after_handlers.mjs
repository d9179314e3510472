// SPDX-License-Identifier: Apache-2.0
// An ES module that throws after jobs were queued, with a handler.
process.on('uncaughtException', (e, o) => { console.log('uncaught', e.message, o); process.nextTick(() => console.log('tick of handler')); }); process.on('exit', (c) => console.log('exit', c)); setTimeout(() => console.log('timer'), 300); setImmediate(() => console.log('immediate')); process.nextTick(() => console.log('tick')); await null; queueMicrotask(() => console.log('micro')); throw new Error('of the module');
