// SPDX-License-Identifier: Apache-2.0
const say = (what) => () => console.log(what);
function queueAll(from) {
  console.log(from);
  setImmediate(say(from + ' immediate'));
  setTimeout(say(from + ' timer'), 80);
  queueMicrotask(say(from + ' microtask'));
  Promise.resolve().then(say(from + ' then 1')).then(say(from + ' then 2'));
  process.nextTick(say(from + ' tick'));
  (async () => { await null; console.log(from + ' await'); })();
}
process.on('uncaughtException', (e) => queueAll('handler of ' + e.message));
setImmediate(() => { throw new Error('immediate 1'); });
setImmediate(say('immediate 2'));
