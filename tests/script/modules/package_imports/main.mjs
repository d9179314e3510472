// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'module';
const require = createRequire(import.meta.url); const d = import.meta.dirname;
for (const s of ['#a','#b','#c/x','#dep','#null','#none','#','#/x','#bad','#up','#c/deep/y','#cond','#arr'])
  for (const [n, f] of [['req', (x) => require(x)], ['imp', async (x) => (await import(x)).default]])
    try { const v = await f(s); console.log(s, n, typeof v === 'string' ? v : typeof v) } catch (e) { console.log(s, n, e.name, e.code, e.message.split('\n')[0].replaceAll(d, 'D').replaceAll('file://','')) }
