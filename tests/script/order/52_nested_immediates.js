// SPDX-License-Identifier: Apache-2.0
const log = console.log;
function nest(depth) { setImmediate(() => { log('immediate', depth); process.nextTick(log, 'tick', depth); Promise.resolve().then(() => log('micro', depth)); if (depth < 4) nest(depth + 1); }); }
nest(1); nest(1);
