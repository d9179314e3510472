// SPDX-License-Identifier: Apache-2.0
// process.exit in a microtask: nothing of the rest runs.
process.on('exit', (c) => { console.log('exit', c); process.nextTick(() => console.log('no tick')); setImmediate(() => console.log('no immediate')); Promise.resolve().then(() => console.log('no microtask after process.exit')); });
setTimeout(() => console.log('no timer'), 0); process.nextTick(() => { console.log('tick'); Promise.resolve().then(() => { console.log('micro'); process.exit(3); }).finally(() => console.log('no')); process.nextTick(() => { console.log('tick 2'); }); });
