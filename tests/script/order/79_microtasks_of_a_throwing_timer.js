// SPDX-License-Identifier: Apache-2.0
process.on('uncaughtException', (e) => console.log('uncaught', e.message));
setTimeout(() => { Promise.resolve().then(() => console.log('micro')); process.nextTick(console.log, 'tick'); throw new Error('t'); }, 1);
setImmediate(() => console.log('immediate'));
setTimeout(console.log, 30, 'later');
