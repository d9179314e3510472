// SPDX-License-Identifier: Apache-2.0
const d = import.meta.dirname;
for (const s of ['./m/a.js','./m/b.cjs','./c/a.js','./c/b.mjs','./n/a.js','./m/node_modules/k/a.js','./n/e.js','./bad/a.js', './m/x', './c/x', './n/x'])
  try { const v = await import(s); console.log(s, v) } catch (e) { console.log(s, e.name, e.code, e.message.split('\n')[0].replaceAll(d, 'D')) }
