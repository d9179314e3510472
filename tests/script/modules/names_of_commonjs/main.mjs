// SPDX-License-Identifier: Apache-2.0
for (const f of ['a','b','c','d','e','f','g','h','i','j']) { const ns = await import(`./${f}.cjs`); console.log(f, Object.keys(ns)); }
