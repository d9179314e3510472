// SPDX-License-Identifier: Apache-2.0
// captureRejections: to 'error', to the own method, and of the error handler itself.
const E = require('events'); process.on('unhandledRejection', (r) => console.log('unhandled', r.message)); process.on('uncaughtException', (e) => console.log('uncaught', e.message));
const fail = (m) => async () => { throw new Error(m); };
const a = new E({ captureRejections: true }); a.on('x', fail('a')); a.on('error', (e) => console.log('error', e.message)); a.emit('x', 1);
const b = new E({ captureRejections: true }); b[Symbol.for('nodejs.rejection')] = (e, name, ...args) => console.log('method', e.message, name, args); b.on('x', fail('b')); b.emit('x', 1, 2);
const c = new E({ captureRejections: true }); c.on('x', fail('c')); c.emit('x'); const d = new E({ captureRejections: true }); d.on('x', fail('d')); d.on('error', fail('d error')); d.emit('x'); const e = new E(); e.on('x', fail('e')); e.emit('x');
const f = new E({ captureRejections: true }); f.on('x', () => ({ then(ok, no) { console.log('then'); no(new Error('f')); } })); f.on('error', (x) => console.log('error', x.message)); f.emit('x'); process.nextTick(() => console.log('tick')); console.log('end');
