// SPDX-License-Identifier: Apache-2.0
// events.once and events.on: values that came before, errors, and the end.
const E = require('events'); const { once, on } = E; (async () => {
  const e = new E(); process.nextTick(() => { e.emit('a', 1, 2); e.emit('a', 3); }); console.log(await once(e, 'a')); setImmediate(() => e.emit('error', new Error('x'))); try { await once(e, 'a'); } catch (x) { console.log('once', x.message); } console.log(e.eventNames());
  setImmediate(() => e.emit('error', 'as event')); console.log(await once(e, 'error'));
  const it = on(e, 'v'); e.emit('v', 1); e.emit('v', 2); console.log(await it.next()); const pending = [it.next(), it.next()]; e.emit('v', 3); console.log(await it.return(), await Promise.all(pending), await it.next(), e.listenerCount('v'));
  const bad = on(e, 'v'); const w = bad.next(); e.emit('error', new Error('stream')); try { await w; } catch (x) { console.log('on', x.message); } console.log(await bad.next()); const t = on(e, 'v'); t.throw(new Error('mine')); try { console.log(await t.next()); } catch (x) { console.log(x.message); } try { t.throw('text'); } catch (x) { console.log(x.code); }
  const target = new EventTarget(); setImmediate(() => target.dispatchEvent(new Event('go'))); console.log((await once(target, 'go'))[0].type);
})();
