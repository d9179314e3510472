// SPDX-License-Identifier: Apache-2.0
const log = console.log;
process.on('uncaughtException', (e, origin) => log('uncaught', e.message, origin));
process.on('unhandledRejection', (r) => { log('unhandled', r); if (r === 'a') throw new Error('of the handler'); });
setTimeout(() => { log('timer'); Promise.reject('a'); Promise.reject('b'); process.nextTick(log, 'tick'); }, 1);
setTimeout(log, 10, 'timer 2');
