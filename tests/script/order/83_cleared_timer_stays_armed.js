// SPDX-License-Identifier: Apache-2.0
// Node's timer of libuv stays armed when its timers are cleared: an empty timer phase comes, with a
// checkpoint.
process.on('uncaughtException', (e) => console.log('uncaught', e.message));
setImmediate(() => console.log('immediate'));
clearTimeout(setTimeout(() => console.log('never'), 5));
process.nextTick(() => { throw new Error('one'); });
process.nextTick(() => { throw new Error('two'); });
process.nextTick(() => console.log('tick'));
const end = Date.now() + 20;
while (Date.now() < end);
