// SPDX-License-Identifier: Apache-2.0
// Uncaught errors, and the end of the program.
'use strict';
const { base, hooks, process: self, life } = shelf;
const { natives, engine, contexts, coded, argumentType, SafeWeakMap } = base;

shelf.placedErrors = new SafeWeakMap();  // errors whose stacks begin with their places
shelf.keptPlaces = new SafeWeakMap();  // errors whose stacks were rewritten, to their places
let captureCallback = null;
// A handler threw: the host tells of that error, with its place, in a second call of onUncaught.
let isFatal = false;
// True when a handler took the error. Otherwise the program has ended.
function takeUncaught(error, place, origin) {
  if (isFatal) {
    // As in Node: without an 'exit' event.
    life.isExiting = true;
    fail(error, place, 7);
    return false;
  }
  let isFine = false;
  try {
    self.emit('uncaughtExceptionMonitor', error, origin);
    if (captureCallback !== null) {
      captureCallback(error);
    } else if (!self.emit('uncaughtException', error, origin)) {
      isFine = true;
      fail(error, place);
      return false;
    }
    isFine = true;
  } finally {
    if (!isFine) isFatal = true;
  }
  return true;
}
// For errors that do not pass the pump. An empty immediate follows, as in Node: the ticks of the
// handler run soon. In a microtask no error must leave: no host would hear of it.
function reportUncaught(error, place, origin, isMicrotask) {
  let isTaken = false;
  try { isTaken = takeUncaught(error, place, origin); } catch (second) {
    if (!isMicrotask) throw second;
    takeUncaught(second, engine.placeOf(second));
  }
  if (isTaken) shelf.setImmediate(() => {});
}
function fail(error, place, status = 1) {
  addEmitted(error);
  // A worker's error is its parent's affair.
  if (shelf.tellFailure === undefined) natives.write(2, `${uncaughtText(error, place)}\n`);
  try {
    if (!life.isExiting) {
      life.isExiting = true;
      self.exitCode = status;
      self.emit('exit', status);
    }
  } catch { /* The first error is the one to tell of. */ }
  shelf.tellFailure?.(error);
  natives.exit(self.exitCode ?? status);
}
// An error of an 'error' event without a listener: the frames of emit follow.
function addEmitted(error) {
  const told = error !== null && typeof error === 'object' ? shelf.emittedErrors.get(error) : undefined;
  if (told === undefined || typeof error.stack !== 'string') return;
  const known = error.stack.split('\n').slice(1);
  const own = told.stack.split('\n').slice(1);
  for (let i = 0; i < own.length - 3; i += 1) {
    const at = known.indexOf(own[i]);
    let count = 0;
    while (at !== -1 && i + count < own.length && own[i + count] === known[at + count]) count += 1;
    if (count <= 3) continue;
    own.splice(i + 1, count - 2, '    [... lines matching original stack trace ...]');
    break;
  }
  try { error.stack += `\nEmitted 'error' event${told.owner} at:\n${own.join('\n')}`; } catch { /* A frozen error shows without. */ }
}
// An error with the place above it; another value directly below its place, after an empty line.
function uncaughtText(error, given) {
  const isObject = error !== null && (typeof error === 'object' || typeof error === 'function');
  const place = isObject && shelf.placedErrors.has(error) ? '' : given || (isObject && shelf.keptPlaces.get(error)) || '';
  let text;
  if (!isObject) text = typeof error === 'symbol' ? '' : `${error}`;
  else {
    // An error shows more of its properties than console.log does, and in no form of its own.
    const options = engine.kind(error) === 'Error' ? { customInspect: false, depth: Math.max(shelf.inspect.defaultOptions.depth ?? Infinity, 5) } : {};
    try { text = shelf.inspect(error, options); } catch {
      try { text = shelf.inspect(error, { customInspect: false }); } catch { text = 'an error that cannot be shown'; }
    }
  }
  const end = `\n\ngyre (${engine.version})`;
  if (isObject && engine.kind(error) === 'Error') return `${place ? `${place}\n\n` : ''}${text}${end}`;
  const hint = isObject ? '' : '\n(Use `throw new Error(...)` to get a stack trace)';
  return `${place ? `\n${place}\n` : ''}${text}${hint}${end}`;
}
hooks.onUncaught = (error, place) => {
  contexts.set(contexts.thrown);
  contexts.thrown = undefined;
  try {
    if (!takeUncaught(error, place, 'uncaughtException')) return 0;
    shelf.setImmediate(() => {});
    return 1;
  } finally {
    contexts.set(undefined);
  }
};

// ---- The end ----

hooks.onBeforeExit = () => {
  self.emit('beforeExit', Number(self.exitCode || 0));
};
hooks.onExit = () => {
  if (life.isExiting) return;
  life.isExiting = true;
  const code = Number(self.exitCode || 0);
  shelf.checkTopLevelAwait();
  self.emit('exit', code);
  natives.setStatus(Number(self.exitCode || 0));
};
function exit(code) {
  if (arguments.length > 0) self.exitCode = code;
  if (!life.isExiting) {
    life.isExiting = true;
    self.emit('exit', self.exitCode || 0);
  }
  self.reallyExit(self.exitCode || 0);
}

let exitCode;
Object.defineProperty(self, 'exitCode', {
  enumerable: true, configurable: false,
  get: () => exitCode,
  set(code) {
    let value = code;
    if (value !== null && value !== undefined) {
      if (typeof value === 'string' && value !== '' && !Number.isNaN(Number(value))) value = Number(value);
      if (typeof value !== 'number') throw argumentType('code', 'number', code);
      if (!Number.isInteger(value)) throw base.outOfRange('code', 'an integer', code);
    }
    exitCode = code;
  },
});

Object.assign(self, {
  exit,
  reallyExit(code) { natives.exit(Number(code || 0)); },
  abort() { natives.exit(134); },
  setUncaughtExceptionCaptureCallback(callback) {
    if (callback === null) { captureCallback = null; return; }
    if (typeof callback !== 'function') throw argumentType('fn', ['Function', 'null'], callback);
    if (captureCallback !== null) throw coded(Error, 'ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET', '`process.setupUncaughtExceptionCapture()` was called while a capture callback was already active');
    captureCallback = callback;
  },
  hasUncaughtExceptionCaptureCallback: () => captureCallback !== null,
});
Object.defineProperty(self, '_exiting', { get: () => life.isExiting, set(value) { life.isExiting = value; } });
shelf.reportUncaught = reportUncaught;
