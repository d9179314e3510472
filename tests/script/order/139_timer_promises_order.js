// SPDX-License-Identifier: Apache-2.0
// timers/promises beside plain timers and immediates.
const tp = require('timers/promises'); const block = (ms) => { const e = performance.now() + ms; while (performance.now() < e); }; const log = (x) => console.log(x);
setTimeout(log, 5, 'plain 1'); tp.setTimeout(5, 'promised').then(log).then(() => log('then')); setTimeout(log, 5, 'plain 2'); setImmediate(log, 'immediate 1'); tp.setImmediate('promised immediate').then(log); setImmediate(log, 'immediate 2'); tp.scheduler.yield().then(() => log('yield')); (async () => { let n = 0; for await (const v of tp.setInterval(5, 'interval')) { log(v); if (++n === 1) break; } log('interval ended'); })(); process.nextTick(log, 'tick'); block(20);
(async () => { await tp.setImmediate(); log('a'); await tp.setImmediate(); log('b'); await null; log('c'); })();
