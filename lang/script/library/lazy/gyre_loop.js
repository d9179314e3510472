// SPDX-License-Identifier: Apache-2.0
// gyre:loop: what the loop of this script has done, and what keeps it alive.
'use strict';
const { base, builtins } = shelf;
const { natives } = base;

// Counts since the start; times in milliseconds. `foreground`: operations that keep the loop alive.
function stats() {
  const [turns, sleeps, idle, inFlight, foreground, operations, timers] = base.JSON.parse(natives.loopStats());
  const total = natives.now();
  return { turns, sleeps, idle: idle / 1e6, total, operations, inFlight, foreground, timers };
}
// A name and how many there are of it: timers, immediates, and what awaits the system.
function aliveReasons() {
  const found = new Map();
  const add = (name, count) => { if (count > 0) found.set(name, (found.get(name) ?? 0) + count); };
  for (const name of shelf.activeResources()) add(name.toLowerCase(), 1);
  add('call', shelf.expectedCount());
  return [...found].map(([name, count]) => ({ name, count }));
}
// The same as text, for a log.
function dump() {
  const now = stats();
  const lines = [`loop: ${now.turns} turns, ${now.sleeps} sleeps, idle ${now.idle.toFixed(1)} of ${now.total.toFixed(1)} ms, ${now.inFlight} operations in flight (${now.foreground} keep it alive), ${now.timers} timers`];
  for (const { name, count } of aliveReasons()) lines.push(`  ${name}: ${count}`);
  return `${lines.join('\n')}\n`;
}
builtins['gyre:loop'] = { stats, aliveReasons, dump };
