// SPDX-License-Identifier: Apache-2.0
process.on('exit', (c) => console.log('exit', c));
setTimeout(() => console.log('timer'), 1);
await new Promise(() => {});
