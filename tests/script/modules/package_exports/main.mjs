// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'module';
const require = createRequire(import.meta.url); const d = import.meta.dirname;
for (const s of ['p','p/a','p/b','p/c','p/dir/x','p/dir/x.js','p/dir/deep/y','p/hidden','p/null','p/arr','p/nested','p/package.json','p/star/one.js','p/feat/internal/z','p/bad1','p/bad2','p/bad3','p/./a','p/a/','p/none','p/dirslash/','p/miss','q','q/sub','r','r/x','s','s/x.js','t','v','@sc/p','@sc/p/x','w','x','y','P'])
  for (const [n, f] of [['req', (x) => require(x)], ['imp', async (x) => (await import(x)).default]])
    try { console.log(s, n, await f(s)) } catch (e) { console.log(s, n, e.name, e.code, e.message.split('\n')[0].replaceAll(d, 'D').replaceAll('file://','')) }
