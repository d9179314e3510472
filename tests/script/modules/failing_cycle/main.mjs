// SPDX-License-Identifier: Apache-2.0
for (const s of ['./a.mjs','./a.mjs','./b.mjs','./ok.mjs']) try { await import(s); console.log('fine', s) } catch (e) { console.log(s, e.message) }
