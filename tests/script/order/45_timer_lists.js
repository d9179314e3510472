// SPDX-License-Identifier: Apache-2.0
function block(ms) { const e = Date.now() + ms; while (Date.now() < e); }
const log = console.log;
setTimeout(log, 20, '20 a'); setTimeout(log, 10, '10 a'); setTimeout(log, 20, '20 b'); setTimeout(log, 1, '1'); setTimeout(log, 10, '10 b');
setTimeout(log, 0, '0'); setTimeout(log, -5, 'negative'); setTimeout(log, NaN, 'NaN'); setTimeout(log, '7', 'text'); setTimeout(log, 1.9, 'fraction'); setTimeout(log, undefined, 'undefined'); setTimeout(log, 2 ** 31, 'too long');
block(40);
