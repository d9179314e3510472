// SPDX-License-Identifier: Apache-2.0
// once('uncaughtException'): the second error is fatal.
process.once('uncaughtException', (e) => { console.log('once', e.message); setTimeout(() => console.log('never'), 900); }); process.on('exit', (c) => console.log('exit', c)); setTimeout(() => { console.log('timer'); Promise.resolve().then(() => console.log('no micro')); throw new Error('second'); }, 300); setImmediate(() => console.log('immediate')); throw new Error('first');
