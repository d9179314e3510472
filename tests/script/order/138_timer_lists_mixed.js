// SPDX-License-Identifier: Apache-2.0
// Timers of several durations, all overdue: list by list.
const block = (ms) => { const e = performance.now() + ms; while (performance.now() < e); }; const log = (x) => () => console.log(x);
setTimeout(log('30 a'), 30); setTimeout(log('10 a'), 10); setTimeout(log('20 a'), 20); setTimeout(() => { console.log('10 b'); setTimeout(log('1 new'), 1); setImmediate(log('immediate')); process.nextTick(log('tick')); block(15); }, 10); setTimeout(log('20 b'), 20); setTimeout(log('30 b'), 30); setTimeout(log('10 c'), 10.9); setTimeout(log('20 c'), '20'); block(60);
