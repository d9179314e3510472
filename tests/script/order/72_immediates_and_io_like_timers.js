// SPDX-License-Identifier: Apache-2.0
function block(ms) { const e = Date.now() + ms; while (Date.now() < e); }
const log = console.log;
setTimeout(() => { log('timer'); setTimeout(log, 1, 'inner timer'); setImmediate(log, 'immediate first'); block(5); }, 1);
