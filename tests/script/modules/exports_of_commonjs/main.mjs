// SPDX-License-Identifier: Apache-2.0
for (const f of ['obj','fn','cls','num','str','nul','undef','arr','esm','esmdef','getter','assign','define','reexport','spread','nested','cond','proto','proxy','frozen','symkey','objnum','objquoted','shorthand','prom','defonly'])
  { const ns = await import(`./${f}.cjs`); console.log(f, ns); console.log(f, Object.keys(ns), ns.default === (await import(`./${f}.cjs`)).default); }
