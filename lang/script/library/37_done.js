// SPDX-License-Identifier: Apache-2.0
// What natives begin and end later: the host calls onDone with the number that `expect` gave, as a job
// of the poll phase.
'use strict';
const { base, hooks } = shelf;
const { contexts, SafeMap } = base;

const waiting = new SafeMap();
let last = 0;
// done(number, text, id) runs in the async context of the call of expect: once, or until forget(id).
shelf.expect = (done, isLasting = false) => {
  last += 1;
  waiting.set(last, { done, isLasting, context: contexts.get() });
  return last;
};
// A number for a call that may end at once; expectAs(id, done) follows where it does not.
shelf.reserve = () => { last += 1; return last; };
shelf.expectAs = (id, done) => { waiting.set(id, { done, isLasting: false, context: contexts.get() }); };
shelf.forget = (id) => waiting.delete(id);
// Of calls that have not ended; what lasts, as a watch, is not counted.
shelf.expectedCount = () => {
  let count = 0;
  waiting.forEach((one) => { if (!one.isLasting) count += 1; });
  return count;
};
hooks.onDone = (id, number, text) => {
  const found = waiting.get(id);
  if (found === undefined) return;
  if (!found.isLasting) waiting.delete(id);
  contexts.set(found.context);
  let isDone = false;
  try {
    found.done(number, text, id);
    isDone = true;
  } finally {
    contexts.leave(isDone);
  }
};
