// SPDX-License-Identifier: Apache-2.0
const d = import.meta.dirname; const n = (s) => String(s).replaceAll(d, 'D');
console.log(Object.keys(import.meta).sort(), n(import.meta.url), n(import.meta.filename), n(import.meta.dirname), typeof import.meta.resolve, Object.getPrototypeOf(import.meta));
for (const s of ['./x.js','events','node:events','./none','pkg','nopkg','#a','./a b.js', './a?x=1#y', 'file:///q.js','http://x/y', './x.js/', '/abs.js', 'data:text/javascript,1', 'events/']) try { console.log(s, n(import.meta.resolve(s))) } catch (e) { console.log(s, e.code, n(e.message)) }
