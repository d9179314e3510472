// SPDX-License-Identifier: Apache-2.0
const steps = [(f) => process.nextTick(f), (f) => queueMicrotask(f), (f) => setImmediate(f), (f) => setTimeout(f, 2), (f) => Promise.resolve().then(f)];
let n = 0;
(function next() { console.log('step', n); if (n < 15) { const step = steps[n % steps.length]; n += 1; step(next); } })();
