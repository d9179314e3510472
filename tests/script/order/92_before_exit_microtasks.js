// SPDX-License-Identifier: Apache-2.0
// beforeExit with promises only does not go on; with an immediate in a microtask it does.
let n = 0; process.on('beforeExit', (c) => { console.log('before', ++n, c); Promise.resolve().then(() => console.log('micro', n)); process.nextTick(() => console.log('tick', n)); if (n === 1) queueMicrotask(() => setImmediate(() => console.log('immediate'))); if (n === 2) process.nextTick(() => setTimeout(() => console.log('timer'), 1)); process.exitCode = n; }); process.on('exit', (c) => console.log('exit', c));
