// SPDX-License-Identifier: Apache-2.0
// beforeExit listeners that throw, with a handler.
let n = 0; process.on('uncaughtException', (e, o) => { console.log('uncaught', e.message, o); }); process.on('beforeExit', () => { n++; console.log('before', n); process.nextTick(() => console.log('tick', n)); if (n < 3) throw new Error('b' + n); }); process.on('beforeExit', () => console.log('second listener')); process.on('exit', (c) => console.log('exit', c, n));
