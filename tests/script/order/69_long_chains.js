// SPDX-License-Identifier: Apache-2.0
let n = 0;
setTimeout(() => console.log('timer after', n), 1);
(function chain() { n += 1; if (n < 20000) Promise.resolve().then(chain); })();
let k = 0;
(function tick() { k += 1; if (k < 20000) process.nextTick(tick); else console.log('ticks', k, 'microtasks', n); })();
