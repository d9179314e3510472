// SPDX-License-Identifier: Apache-2.0
// A rejection in an exit listener is fatal there, after the other listeners.
process.on('exit', (c) => { console.log('one', c); Promise.reject(new Error('late')); queueMicrotask(() => console.log('micro')); }); process.on('exit', (c) => console.log('two', c)); console.log('main');
