// SPDX-License-Identifier: Apache-2.0
function block(ms) { const e = Date.now() + ms; while (Date.now() < e); }
const log = console.log;
setTimeout(() => { log('a'); setTimeout(log, 1, 'set by a'); block(5); setImmediate(log, 'immediate of a'); }, 1);
setTimeout(() => { log('b'); setTimeout(log, 1, 'set by b'); }, 1);
block(10);
