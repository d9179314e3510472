// SPDX-License-Identifier: Apache-2.0
process.setUncaughtExceptionCaptureCallback((e) => console.log('captured', e.message));
process.on('uncaughtException', () => console.log('never'));
setTimeout(() => { throw new Error('timer'); }, 1);
setTimeout(console.log, 5, 'goes on');
throw new Error('main');
