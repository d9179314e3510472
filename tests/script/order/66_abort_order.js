// SPDX-License-Identifier: Apache-2.0
const log = console.log;
const c = new AbortController();
c.signal.addEventListener('abort', () => { log('listener'); process.nextTick(log, 'tick'); queueMicrotask(() => log('micro')); });
c.signal.onabort = () => log('onabort');
const { setTimeout: sleep } = require('timers/promises');
sleep(1000, null, { signal: c.signal }).catch((e) => log(e.name, e.code));
setTimeout(() => { log('before'); c.abort(); log('after', c.signal.aborted); }, 1);
