// SPDX-License-Identifier: Apache-2.0
// An interval goes on after an error, also when its error handler clears another one.
let n = 0; const a = setInterval(() => { n++; console.log('a', n); if (n === 3) clearInterval(a); throw new Error('e' + n); }, 1); process.on('uncaughtException', (e) => { console.log('uncaught', e.message); process.nextTick(() => console.log('tick')); setImmediate(() => console.log('immediate')); });
