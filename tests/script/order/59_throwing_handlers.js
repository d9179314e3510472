// SPDX-License-Identifier: Apache-2.0
process.on('exit', (code) => console.log('exit', code));
process.on('uncaughtException', () => { console.log('handler'); throw new Error('second'); });
setTimeout(console.log, 1, 'never');
throw new Error('first');
