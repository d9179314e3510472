// SPDX-License-Identifier: Apache-2.0
// finally: values, errors and waits pass through.
const say = (l) => [(v) => console.log(l, 'ok', v), (e) => console.log(l, 'no', e)];
Promise.resolve(1).finally(() => 2).then(...say('value')); Promise.reject(1).finally(() => 2).then(...say('reason')); Promise.resolve(1).finally(() => { throw 3; }).then(...say('throws')); Promise.resolve(1).finally(() => Promise.reject(4)).then(...say('rejects'));
Promise.resolve(1).finally(() => new Promise((r) => setImmediate(r, 9))).then(...say('waits')); Promise.resolve(1).finally().then(...say('none')); Promise.resolve(1).finally(5).then(...say('number')); Promise.reject(1).finally(() => { throw 5; }).then(...say('replaces'));
Promise.resolve(1).finally((...a) => console.log('arguments', a.length)); let n = 0; (function f() { if (n++ < 9) { console.log('-', n); Promise.resolve().then(f); } })();
Promise.prototype.finally.call({ then(a, b) { console.log(typeof a, typeof b, a.length); return 'called'; } }, () => {}); process.nextTick(() => console.log('tick'));
