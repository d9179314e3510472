// SPDX-License-Identifier: Apache-2.0
const log = console.log;
process.on('exit', (code) => log('exit', code));
process.on('uncaughtExceptionMonitor', (e, origin) => log('monitor', e.message, origin));
setTimeout(log, 5, 'never');
process.nextTick(log, 'tick');
Promise.reject(new Error('fatal'));
queueMicrotask(() => log('micro'));
