// SPDX-License-Identifier: Apache-2.0
// Rejections without a handler, in the modes of --unhandled-rejections.
'use strict';
const { base, hooks, process: self, nextTick } = shelf;
const { natives, engine, config, contexts, SafeWeakMap, SafeMap } = base;

const known = new SafeWeakMap();  // promise to its record
const pending = new SafeMap();    // number to the record, until it is reported
shelf.hasRejections = () => pending.size !== 0;
let lastNumber = 0;

hooks.onPromise = (event, promise, value) => {
  if (event === 0) {
    lastNumber += 1;
    const record = { number: lastNumber, promise, reason: value, isReported: false, context: contexts.get() };
    known.set(promise, record);
    pending.set(lastNumber, record);
    natives.trackRejected(lastNumber);
  } else if (event === 1) {
    const record = known.get(promise);
    if (record === undefined) return;
    known.delete(promise);
    if (record.isReported) {
      record.promise = promise;
      pending.set(record.number, record);
      natives.trackHandled(record.number);
    } else if (pending.delete(record.number)) {
      natives.trackHandled(record.number);
    }
  } else if (self.listenerCount('multipleResolves') > 0) {
    nextTick(() => self.emit('multipleResolves', event === 2 ? 'reject' : 'resolve', promise, value));
  }
};

hooks.onRejectionHandled = (number) => {
  const record = pending.get(number);
  pending.delete(number);
  if (record === undefined) return;
  const { promise } = record;
  record.promise = undefined;
  if (self.emit('rejectionHandled', promise)) return;
  const warning = new Error(`Promise rejection was handled asynchronously (rejection id: ${number})`);
  warning.name = 'PromiseRejectionHandledWarning';
  warning.id = number;
  self.emitWarning(warning);
};

const isError = (value) => engine.kind(value) === 'Error' || value instanceof Error;
// An engine may give an error its own property `stack` only when it is first read.
const hasStack = (value) => value !== null && typeof value === 'object' && (base.hasOwn(value, 'stack') || (engine.hasLateStacks && engine.kind(value) === 'Error'));
// A reason as text, without calling into the script.
function plainText(value) {
  if (typeof value === 'symbol') return value.toString();
  if (typeof value === 'function') return base.functionToString(value);
  if (value === null || typeof value !== 'object') return `${value}`;
  const kind = engine.kind(value);
  if (isError(value)) return base.errorToString(value);
  const ownText = kind === 'Proxy' ? undefined : value.toString;
  if (ownText === Object.prototype.toString || kind === 'Proxy') return `#<${kind === 'Proxy' ? 'Object' : engine.constructorName(value)}>`;
  return `[object ${{ Array: 'Array', Date: 'Date', RegExp: 'RegExp', Boolean: 'Boolean', Number: 'Number', String: 'String', TypedArray: value[Symbol.toStringTag] }[kind] ?? 'Object'}]`;
}
class UnhandledPromiseRejection extends Error {
  code = 'ERR_UNHANDLED_REJECTION';
  name = 'UnhandledPromiseRejection';
  constructor(reason) {
    super('This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise ' +
      `which was not handled with .catch(). The promise rejected with the reason "${plainText(reason)}".`);
  }
}
// Its name shows in the stack.
Object.defineProperty(UnhandledPromiseRejection.prototype, 'name', { value: 'UnhandledPromiseRejection', configurable: true, writable: true });
function throwRejection(reason) {
  const error = hasStack(reason) ? reason : new UnhandledPromiseRejection(reason);
  shelf.reportUncaught(error, hasStack(reason) ? engine.placeOf(reason) : '', 'unhandledRejection');
}
function warnRejection(number, reason) {
  const text = 'Unhandled promise rejection. This error originated either by throwing inside of an async function without a catch block, ' +
    'or by rejecting a promise which was not handled with .catch(). To terminate the node process on unhandled promise rejection, use the ' +
    `CLI flag \`--unhandled-rejections=strict\` (see https://nodejs.org/api/cli.html#cli_unhandled_rejections_mode). (rejection id: ${number})`;
  const warning = new Error(text);
  warning.name = 'UnhandledPromiseRejectionWarning';
  const warnPlainly = () => self.emitWarning(plainText(reason), 'UnhandledPromiseRejectionWarning');
  try {
    if (hasStack(reason)) {
      warning.stack = reason.stack;
      self.emitWarning(reason.stack, 'UnhandledPromiseRejectionWarning');
    } else warnPlainly();
  } catch {
    try { warnPlainly(); } catch { /* Then only the second warning tells. */ }
  }
  self.emitWarning(warning);
}

hooks.onRejection = (number) => {
  const record = pending.get(number);
  pending.delete(number);
  if (record === undefined) return;
  const { promise, reason, context } = record;
  record.isReported = true;
  record.promise = undefined;  // Held weakly, by `known`, from now on.
  record.reason = undefined;
  contexts.set(context);
  try {
    reportRejection(record, promise, reason);
  } finally {
    contexts.set(undefined);
  }
};
function reportRejection(record, promise, reason) {
  const emit = () => self.emit('unhandledRejection', reason, promise);
  switch (config.rejections) {
    case 'strict':
      throwRejection(reason);
      if (!emit()) warnRejection(record.number, reason);
      break;
    case 'warn': emit(); warnRejection(record.number, reason); break;
    case 'none': emit(); break;
    case 'warn-with-error-code': case 'warn-with-error-codes':
      if (!emit()) {
        warnRejection(record.number, reason);
        self.exitCode = 1;
      }
      break;
    default: if (!emit()) throwRejection(reason);
  }
}
