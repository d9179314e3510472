// SPDX-License-Identifier: Apache-2.0
// Listeners that add, remove and abort while an abort is dispatched.
const c = new AbortController(); const s = c.signal; const log = (x) => () => console.log(x);
const third = log('third');
s.addEventListener('abort', () => { console.log('first'); s.removeEventListener('abort', third); s.addEventListener('abort', log('late')); c.abort('second time'); });
s.onabort = (e) => { console.log('onabort', e.type, e.target === s, e.isTrusted, e.cancelable, e.bubbles); };
s.addEventListener('abort', log('second'), { once: true }); s.addEventListener('abort', third);
s.addEventListener('abort', { handleEvent(e) { console.log('object', this === e.currentTarget, typeof this.handleEvent); } });
c.abort(new Error('reason')); console.log(s.reason.message, s.aborted); s.addEventListener('abort', log('never'));
try { s.throwIfAborted(); } catch (e) { console.log('thrown', e.message); }
s.onabort = null; s.dispatchEvent(new Event('abort'));
