// SPDX-License-Identifier: Apache-2.0
// Rejections made in unhandledRejection, rejectionHandled and uncaughtException handlers.
let n = 0; process.on('unhandledRejection', (r, p) => { console.log('unhandled', r); if (n++ < 3) Promise.reject('again ' + n); setImmediate(() => p.catch(() => console.log('caught', r))); process.nextTick(() => console.log('tick', r)); });
process.on('rejectionHandled', () => { console.log('handled'); queueMicrotask(() => console.log('micro of handled')); }); process.on('uncaughtException', (e) => { console.log('uncaught', e); Promise.reject('from uncaught'); });
Promise.reject('first'); Promise.reject('second'); setTimeout(() => { throw 'thrown'; }, 300);
