// SPDX-License-Identifier: Apache-2.0
function block(ms) { const e = Date.now() + ms; while (Date.now() < e); }
const log = console.log;
process.on('uncaughtException', (e) => log('uncaught', e));
setTimeout(() => { log('t1'); queueMicrotask(() => { log('m1'); throw 'm1'; }); throw 't1'; }, 1);
setTimeout(() => { log('t2'); process.nextTick(() => { log('k2'); throw 'k2'; }); process.nextTick(log, 'k2b'); }, 1);
setTimeout(() => { log('t3'); }, 1);
setImmediate(() => { log('i1'); throw 'i1'; });
setImmediate(() => { log('i2'); });
block(5);
