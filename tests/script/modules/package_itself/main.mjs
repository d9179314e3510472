// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'module';
const require = createRequire(import.meta.url); const d = import.meta.dirname;
for (const s of ['me','me/x','me/none','me/package.json'])
  for (const [n, f] of [['req', (x) => require(x)], ['imp', async (x) => (await import(x)).default]])
    try { const v = await f(s); console.log(s, n, v) } catch (e) { console.log(s, n, e.name, e.code, e.message.split('\n')[0].replaceAll(d, 'D').replaceAll('file://','')) }
