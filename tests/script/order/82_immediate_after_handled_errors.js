// SPDX-License-Identifier: Apache-2.0
// One empty immediate follows an error that was handled, not two.
process.on('uncaughtException', (e) => {
  console.log('uncaught', e.message);
  process.nextTick(() => console.log('tick of the handler of', e.message));
});
process.on('unhandledRejection', () => { throw new Error('three'); });
setTimeout(() => {
  process.nextTick(() => { throw new Error('one'); });
  process.nextTick(() => { setImmediate(() => console.log('immediate')); throw new Error('two'); });
  process.nextTick(() => { Promise.reject(new Error('rejected')); });
}, 1);
