// SPDX-License-Identifier: Apache-2.0
process.on('uncaughtException', (e, origin) => console.log(e.message, origin));
process.on('exit', (c) => console.log('exit', c));
setTimeout(() => console.log('goes on'), 1);
await null;
throw new Error('x');
