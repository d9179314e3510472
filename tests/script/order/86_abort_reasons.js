// SPDX-License-Identifier: Apache-2.0
// What abort() makes of its reason, and what waits for a signal throws.
const tp = require('timers/promises'); const events = require('events');
const show = (l) => (e) => console.log(l, e.name, e.code, e.message, e.cause === undefined ? '' : e.cause?.message ?? e.cause);
(async () => {
  for (const r of [undefined, null, 0, 'text', new TypeError('t')]) {
    const c = new AbortController(); if (r === undefined) c.abort(); else c.abort(r);
    console.log(c.signal.reason?.name ?? c.signal.reason);
    await tp.setTimeout(1, 0, { signal: c.signal }).catch(show('timeout'));
    await tp.setImmediate(0, { signal: c.signal }).catch(show('immediate'));
    await events.once(new events(), 'x', { signal: c.signal }).catch(show('once'));
    try { for await (const v of tp.setInterval(1, 0, { signal: c.signal })) console.log(v); } catch (e) { show('interval')(e); }
    try { for await (const v of events.on(new events(), 'x', { signal: c.signal })) console.log(v); } catch (e) { show('on')(e); }
  }
})();
