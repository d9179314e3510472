// SPDX-License-Identifier: Apache-2.0
// The limits of a worker's stack: one with a larger stack calls deeper.
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (isMainThread) {
  const depth = (stackSizeMb) => new Promise((done) => { new Worker(__filename, { resourceLimits: { stackSizeMb } }).once('message', done); });
  (async () => {
    const [small, large] = [await depth(1), await depth(3)];
    console.log(small > 100, large > 2 * small);
  })();
} else {
  let depth = 0;
  const call = () => { depth += 1; call(); };
  try { call(); } catch (error) { parentPort.postMessage(error instanceof RangeError ? depth : -1); }
}
