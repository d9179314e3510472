// SPDX-License-Identifier: Apache-2.0
// References of immediates: which of them run.
const a = setImmediate(() => { console.log('a'); const x = setImmediate(() => console.log('never')); x.unref(); const y = setImmediate(() => console.log('y')); y.unref().ref(); }); const b = setImmediate(() => console.log('b')); b.unref(); console.log(a.hasRef(), b.hasRef(), typeof a.ref, b.ref() === b, b.hasRef()); b.unref();
process.on('exit', () => console.log('exit', a.hasRef()));
