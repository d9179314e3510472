// SPDX-License-Identifier: Apache-2.0
// A signal that aborts waits in several places: their order.
const tp = require('timers/promises'); const events = require('events'); const c = new AbortController(); const { signal } = c;
const end = (l) => (e) => { console.log(l, e.name); process.nextTick(() => console.log('tick of', l)); };
tp.setTimeout(1000, 0, { signal }).catch(end('timeout')); tp.setImmediate(0, { signal }).catch(end('immediate'));
events.once(new events(), 'x', { signal }).catch(end('once')); tp.scheduler.wait(1000, { signal }).catch(end('wait'));
(async () => { try { for await (const _ of tp.setInterval(1000, 0, { signal })) console.log('never'); } catch (e) { end('interval')(e); } })();
(async () => { try { for await (const _ of events.on(new events(), 'x', { signal })) console.log('never'); } catch (e) { end('on')(e); } })();
process.nextTick(() => { console.log('tick'); c.abort(); Promise.resolve().then(() => console.log('micro')); console.log('aborted'); });
