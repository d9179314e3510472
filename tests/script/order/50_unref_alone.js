// SPDX-License-Identifier: Apache-2.0
setImmediate(console.log, 'never').unref();
setTimeout(console.log, 1, 'never').unref();
process.on('exit', () => console.log('exit'));
