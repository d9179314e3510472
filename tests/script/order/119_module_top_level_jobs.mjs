// SPDX-License-Identifier: Apache-2.0
// Jobs of an ES module around its top-level awaits.
const log = console.log; process.nextTick(log, 'tick 1'); queueMicrotask(() => log('micro 1')); setImmediate(log, 'immediate'); log('a'); await null; log('b'); process.nextTick(log, 'tick 2'); Promise.resolve().then(() => log('then')); await new Promise((r) => process.nextTick(r)); log('c'); for await (const v of [1, 2]) log(v); await new Promise((r) => setImmediate(r)); log('d'); process.nextTick(log, 'tick 3'); queueMicrotask(() => log('micro 3')); process.on('exit', (c) => log('exit', c));
