// SPDX-License-Identifier: Apache-2.0
for (const s of ['./a.mjs','./b.mjs','./a.mjs','./c.mjs']) try { await import(s); console.log('fine', s) } catch (e) { console.log(s, e.name, e.code, e.message.replaceAll(import.meta.dirname,'D')) }
