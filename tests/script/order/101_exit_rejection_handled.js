// SPDX-License-Identifier: Apache-2.0
// A rejection in an exit listener with a handler of unhandledRejection.
process.on('unhandledRejection', (r) => { console.log('unhandled', r); Promise.resolve().then(() => console.log('micro')); process.nextTick(() => console.log('no tick')); }); process.on('exit', (c) => { console.log('exit', c); Promise.reject('late'); process.exitCode = 4; });
