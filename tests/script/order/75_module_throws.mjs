// SPDX-License-Identifier: Apache-2.0
process.on('exit', (c) => console.log('exit', c));
process.nextTick(() => console.log('never'));
setTimeout(() => console.log('never'), 1);
await 1;
throw new Error('of the module');
