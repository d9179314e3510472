// SPDX-License-Identifier: Apache-2.0
for (const n of ['./none','nopkg','@a/b','../none','./d','','/abs/none','#imp','nopkg/sub', '.', './x/']) try { console.log(typeof require(n)) } catch (e) { console.log(n, e.name, e.code, e.message.split('\n')[0].replace(__dirname,'D'), e.requireStack && e.requireStack.length) }
for (const n of [undefined, null, 5, {}, []]) try { require(n) } catch (e) { console.log(e.name, e.code, e.message) }
