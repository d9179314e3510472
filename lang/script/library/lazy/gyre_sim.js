// SPDX-License-Identifier: Apache-2.0
// gyre:sim: points where a simulation takes a rare branch or waits. Outside of `gyre run --sim` no point
// is taken.
//
//     import { chance, maybeDelay } from 'gyre:sim';
//     if (chance('cache is full', 1, 100)) cache.clear();
//     await maybeDelay('before the commit');
'use strict';
const { base, builtins } = shelf;
const { natives } = base;

function ask(point, ...rest) {
  return natives.callDirect(point, base.JSON.stringify(rest));
}
function checkName(name) {
  if (typeof name !== 'string' || name === '') throw new TypeError('a point has a name: chance("cache is full", 1, 100)');
}
function chance(name, part, of) {
  checkName(name);
  const isGood = Number.isSafeInteger(part) && Number.isSafeInteger(of) && part >= 0 && of >= 1;
  if (!isGood) throw new RangeError('a chance is two whole numbers: 1 in 100 is chance(name, 1, 100)');
  return ask('gyre:sim/chance', name, part, of) === 'true';
}
async function maybeDelay(name) {
  checkName(name);
  const text = ask('gyre:sim/delay', name);
  const milliseconds = text === undefined ? 0 : Number(text);
  if (milliseconds > 0) await new Promise((resolve) => { setTimeout(resolve, milliseconds); });
}
builtins['gyre:sim'] = { chance, maybeDelay };
