// SPDX-License-Identifier: Apache-2.0
for (const n of ['./none','nopkg','@a/b','./d','','/abs/none','#imp','nopkg/sub','.','node:nope','http://x/y','data:text/javascript,export default 5','data:text/css,x','./a.txt','file:///none.js','./bad.mjs','./throws.mjs', './%2f.js','./a%00.js', '@', '@a', 'a%2fb', './bad.cjs','./throws.cjs'])
  try { console.log(n, Object.keys(await import(n))) } catch (e) { console.log(n, e.name, e.code, String(e.message).split('\n')[0].replaceAll(import.meta.dirname,'D'), e.url&&e.url.replaceAll(import.meta.dirname,'D')) }
for (const n of [undefined,null,5,Symbol('x'),{toString(){throw 1}}]) try { await import(n) } catch (e) { console.log(e.name, e.code, e.message&&e.message.replaceAll(import.meta.dirname,'D')) }
