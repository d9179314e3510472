// SPDX-License-Identifier: Apache-2.0
let log = [];
for (let i = 0; i < 3000; i += 1) { process.nextTick(() => log.push('t')); queueMicrotask(() => log.push('m')); setImmediate(() => log.push('i')); }
setTimeout(() => log.push('T'), 1);
const e = Date.now() + 5; while (Date.now() < e);
process.on('exit', () => console.log(log.join('').replace(/(.)\1*/g, (run) => `${run[0]}${run.length} `)));
