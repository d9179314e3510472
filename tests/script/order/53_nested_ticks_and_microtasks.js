// SPDX-License-Identifier: Apache-2.0
const log = console.log;
process.nextTick(() => { log('tick 1'); process.nextTick(() => { log('tick 1.1'); queueMicrotask(() => { log('micro of 1.1'); process.nextTick(log, 'tick of micro of 1.1'); }); }); });
queueMicrotask(() => { log('micro 1'); queueMicrotask(() => { log('micro 1.1'); process.nextTick(() => { log('tick of micro 1.1'); queueMicrotask(log.bind(null, 'last')); }); }); process.nextTick(log, 'tick of micro 1'); });
process.nextTick(log, 'tick 2');
queueMicrotask(() => log('micro 2'));
