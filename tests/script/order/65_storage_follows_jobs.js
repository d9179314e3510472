// SPDX-License-Identifier: Apache-2.0
const { AsyncLocalStorage, AsyncResource } = require('async_hooks'); const log = console.log;
const s = new AsyncLocalStorage();
const say = (what) => () => log(what, s.getStore());
s.run(1, () => { process.nextTick(say('tick')); queueMicrotask(say('micro')); setTimeout(say('timer'), 60); setImmediate(say('immediate')); Promise.resolve().then(say('then')); (async () => { await 0; say('await')(); s.run(2, () => setImmediate(say('inner'))); })(); });
s.run(3, () => { const bound = AsyncResource.bind(say('bound')); const snap = AsyncLocalStorage.snapshot(); setTimeout(() => { bound(); snap(say('snapshot')); }, 180); });
s.enterWith(4); say('entered')(); log(s.exit(() => s.getStore())); setTimeout(say('after enterWith'), 120);
say('end')();
