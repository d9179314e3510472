// SPDX-License-Identifier: Apache-2.0
// node:assert.
'use strict';
shelf.load('equality');
shelf.load('assertion_error');
const { base, builtins, AssertionError, isDeep } = shelf;
const { argumentType, coded, apply } = base;
const isPattern = (value) => base.engine.kind(value) === 'RegExp';
const isError = (value) => base.engine.kind(value) === 'Error' || value instanceof Error;
const nothing = {};  // what a body that did not throw threw

function fail(options) {
  if (options.message instanceof Error) throw options.message;
  throw new AssertionError(options);
}
function failGenerated(options, isGenerated) {
  const error = new AssertionError(options);
  error.generatedMessage = isGenerated;
  throw error;
}

// ---- ok: the message is the expression of the call ----

// The end of the brackets that open at `from`; strings, templates, patterns and comments are skipped.
function endOfBrackets(text, from) {
  const skipped = /'(?:\\[^]|[^'\\\n])*'|"(?:\\[^]|[^"\\\n])*"|`(?:\\[^]|[^`\\])*`|\/\/.*|\/\*[^]*?\*\/|(?<=[(,=:[!&|?{};]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//y;
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    skipped.lastIndex = at;
    const hit = skipped.exec(text);
    if (hit !== null) {
      at += hit[0].length - 1;
    } else if ('([{'.includes(text[at])) {
      depth += 1;
    } else if (')]}'.includes(text[at])) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}
function callPlace(start) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const holder = {};
  try {
    Error.prepareStackTrace = (_, frames) => frames[0];
    Error.stackTraceLimit = 1;
    Error.captureStackTrace(holder, start);
    const frame = holder.stack;
    return frame && { file: frame.getFileName(), line: frame.getLineNumber(), column: frame.getColumnNumber() };
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}
function expressionAt(place) {
  if (!place?.file) return undefined;
  const text = base.natives.readFile(place.file.startsWith('file:') ? shelf.toPath(place.file) : place.file);
  if (text === undefined) return undefined;
  const code = text.split('\n').slice(place.line - 1).join('\n');
  let from = place.column - 1;
  while (from > 0 && /[\w$.]/.test(code[from - 1])) from -= 1;
  const open = code.indexOf('(', place.column - 1);
  const end = open === -1 ? -1 : endOfBrackets(code, open);
  if (end === -1) return undefined;
  const [first, ...rest] = code.slice(from, end).replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, (char) => ({ '\b': '\\b', '\f': '\\f' }[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)).split('\n');
  const indent = new RegExp(`^[ \\t]{0,${from}}`);
  return [first, ...rest.map((line) => `  ${line.replace(indent, '')}`)].join('\n');
}
function falsyMessage(start) {
  let expression;
  try { expression = expressionAt(callPlace(start)); } catch { /* Without the expression, then. */ }
  return expression === undefined ? undefined : `The expression evaluated to a falsy value:\n\n  ${expression}\n`;
}
function check(start, args) {
  const [value, message] = args;
  if (value) return;
  const options = { actual: value, expected: true, operator: '==', stackStartFn: start, message };
  if (args.length === 0) failGenerated({ ...options, message: 'No value argument passed to `assert.ok()`' }, true);
  if (message == null) failGenerated({ ...options, message: falsyMessage(start) }, true);
  if (isError(message)) throw message;
  failGenerated(options, false);
}
function ok(...args) { check(ok, args); }
shelf.checkTruth = check;
const assert = ok;
let hasWarned = false;
assert.fail = function fail(actual, expected, message, operator, stackStartFn) {
  let text = message;
  let isGenerated = false;
  let left = actual;
  let sign = operator;
  if (actual == null && arguments.length <= 1) {
    isGenerated = true;
    text = 'Failed';
  } else if (arguments.length === 1) {
    text = actual;
    left = undefined;
  } else {
    if (!hasWarned) shelf.process.emitWarning('assert.fail() with more than one argument is deprecated. Please use assert.strictEqual() instead or only pass a message.', 'DeprecationWarning', 'DEP0094');
    hasWarned = true;
    if (arguments.length === 2) sign = '!=';
  }
  if (text instanceof Error) throw text;
  const error = new AssertionError({ actual: left, expected, operator: sign ?? 'fail', stackStartFn: stackStartFn || assert.fail, message: text });
  if (isGenerated) error.generatedMessage = true;
  throw error;
};
assert.AssertionError = AssertionError;
assert.ok = ok;

const comparisons = {
  equal: ['==', (a, b) => a == b || (a !== a && b !== b)],
  notEqual: ['!=', (a, b) => a != b && !(a !== a && b !== b)],
  deepEqual: ['deepEqual', (a, b) => isDeep(a, b, false)],
  notDeepEqual: ['notDeepEqual', (a, b) => !isDeep(a, b, false)],
  deepStrictEqual: ['deepStrictEqual', (a, b) => isDeep(a, b, true)],
  notDeepStrictEqual: ['notDeepStrictEqual', (a, b) => !isDeep(a, b, true)],
  strictEqual: ['strictEqual', Object.is],
  notStrictEqual: ['notStrictEqual', (a, b) => !Object.is(a, b)],
};
for (const name of Object.keys(comparisons)) {
  const [operator, isFine] = comparisons[name];
  assert[name] = { [name](actual, expected, message) {
    if (arguments.length < 2) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "actual" and "expected" arguments must be specified');
    if (!isFine(actual, expected)) fail({ actual, expected, operator, message, stackStartFn: assert[name] });
  } }[name];
}

// ---- What a body throws ----

// The properties that are compared; a pattern that matches shows what it matched.
class Comparison {
  constructor(source, keys, actual) {
    for (const key of keys) {
      if (key in source) this[key] = actual !== undefined && doesMatch(actual[key], source[key]) ? actual[key] : source[key];
    }
  }
}
const doesMatch = (text, pattern) => typeof text === 'string' && isPattern(pattern) && pattern.exec(text) !== null;
function compareProperties(actual, expected, message, start) {
  const keys = Object.keys(expected);
  if (expected instanceof Error) keys.push('name', 'message');
  else if (keys.length === 0) throw base.argumentValue('error', expected, 'may not be an empty object');
  for (const key of keys) {
    if (doesMatch(actual[key], expected[key]) || (key in actual && isDeep(actual[key], expected[key], true))) continue;
    if (message) fail({ actual, expected, message, operator: start.name, stackStartFn: start });
    const error = new AssertionError({ actual: new Comparison(actual, keys), expected: new Comparison(expected, keys, actual), operator: 'deepStrictEqual', stackStartFn: start });
    throw Object.assign(error, { actual, expected, operator: start.name });
  }
}
function classText(actual, expected) {
  const head = `The error is expected to be an instance of "${expected.name}". Received `;
  if (!isError(actual)) return `${head}"${shelf.inspect(actual, { depth: -1 })}"`;
  const name = (actual.constructor && actual.constructor.name) || actual.name;
  const what = name === expected.name ? 'an error with identical name but a different prototype.' : `"${name}"`;
  return `${head}${what}${actual.message ? `\n\nError message:\n\n${actual.message}` : ''}`;
}
// The text of the difference, or undefined where the error is as expected.
function mismatch(actual, expected) {
  if (isPattern(expected)) {
    const text = String(actual);
    return expected.exec(text) === null ? `The input did not match the regular expression ${shelf.inspect(expected)}. Input:\n\n${shelf.inspect(text)}\n` : undefined;
  }
  if (expected.prototype !== undefined && actual instanceof expected) return undefined;
  if (Object.prototype.isPrototypeOf.call(Error, expected)) return classText(actual, expected);
  const result = apply(expected, {}, [actual]);
  if (result === true) return undefined;
  const name = expected.name ? `"${expected.name}" ` : '';
  const caught = isError(actual) ? `\n\nCaught error:\n\n${actual}` : '';
  return `The ${name}validation function is expected to return "true". Received ${shelf.inspect(result)}${caught}`;
}
function checkThrown(actual, expected, message, start) {
  if (typeof expected === 'function' || isPattern(expected)) {
    const text = mismatch(actual, expected);
    if (text !== undefined) failGenerated({ actual, expected, message: message || text, operator: start.name, stackStartFn: start }, !message);
  } else if (typeof actual !== 'object' || actual === null) {
    const error = new AssertionError({ actual, expected, message, operator: 'deepStrictEqual', stackStartFn: start });
    throw Object.assign(error, { operator: start.name });
  } else {
    compareProperties(actual, expected, message, start);
  }
}
const expectedKinds = ['Object', 'Error', 'function', 'RegExp'];
function ambiguous(reason) { return coded(TypeError, 'ERR_AMBIGUOUS_ARGUMENT', `The "error/message" argument is ambiguous. ${reason}`); }
function expectError(start, actual, args) {
  let [error, message] = args;
  if (typeof error === 'string') {
    if (args.length > 1) throw argumentType('error', expectedKinds, error);
    if (actual !== null && typeof actual === 'object') {
      if (actual.message === error) throw ambiguous(`The error message "${actual.message}" is identical to the message.`);
    } else if (actual === error) throw ambiguous(`The error "${actual}" is identical to the message.`);
    message = error;
    error = undefined;
  } else if (error != null && typeof error !== 'object' && typeof error !== 'function') {
    throw argumentType('error', expectedKinds, error);
  }
  if (actual === nothing) {
    const what = start === assert.rejects ? 'rejection' : 'exception';
    const detail = `${error?.name ? ` (${error.name})` : ''}${message ? `: ${message}` : '.'}`;
    fail({ actual: undefined, expected: error, operator: start.name, message: `Missing expected ${what}${detail}`, stackStartFn: start });
  }
  if (error) checkThrown(actual, error, message, start);
}
function isUnwanted(actual, expected) {
  if (isPattern(expected)) return expected.exec(String(actual)) !== null;
  if (typeof expected !== 'function') throw argumentType('expected', ['function', 'RegExp'], expected);
  if (expected.prototype !== undefined && actual instanceof expected) return true;
  return !Object.prototype.isPrototypeOf.call(Error, expected) && apply(expected, {}, [actual]) === true;
}
function expectNoError(start, actual, args) {
  if (actual === nothing) return;
  const [error, message] = typeof args[0] === 'string' ? [undefined, args[0]] : args;
  if (!error || isUnwanted(actual, error)) {
    const what = start === assert.doesNotReject ? 'rejection' : 'exception';
    fail({ actual, expected: error, operator: start.name, stackStartFn: start, message: `Got unwanted ${what}${message ? `: ${message}` : '.'}\nActual message: "${actual && actual.message}"` });
  }
  throw actual;
}
function thrownBy(body) {
  base.checks.isFunction(body, 'fn');
  try { body(); } catch (error) { return error; }
  return nothing;
}
const isPromise = (value) => base.engine.kind(value) === 'Promise' || (value !== null && typeof value === 'object' && typeof value.then === 'function' && typeof value.catch === 'function');
async function rejectionOf(body) {
  let promise = body;
  if (typeof body === 'function') {
    promise = body();
    if (!isPromise(promise)) throw coded(TypeError, 'ERR_INVALID_RETURN_VALUE', `Expected instance of Promise to be returned from the "promiseFn" function but got ${base.received(promise)}.`);
  } else if (!isPromise(body)) throw argumentType('promiseFn', ['function', 'Promise'], body);
  try { await promise; } catch (error) { return error; }
  return nothing;
}
assert.throws = function throws(body, ...args) { expectError(throws, thrownBy(body), args); };
assert.rejects = async function rejects(body, ...args) { expectError(rejects, await rejectionOf(body), args); };
assert.doesNotThrow = function doesNotThrow(body, ...args) { expectNoError(doesNotThrow, thrownBy(body), args); };
assert.doesNotReject = async function doesNotReject(body, ...args) { expectNoError(doesNotReject, await rejectionOf(body), args); };

assert.ifError = function ifError(value) {
  if (value === null || value === undefined) return;
  let text = shelf.inspect(value);
  if (typeof value === 'object' && typeof value.message === 'string') text = value.message === '' && value.constructor ? value.constructor.name : value.message;
  const error = new AssertionError({ actual: value, expected: null, operator: 'ifError', message: `ifError got unwanted exception: ${text}`, stackStartFn: ifError });
  // The frames of the given error follow those of this one.
  const first = typeof value.stack === 'string' ? value.stack.indexOf('\n    at') : -1;
  if (first !== -1) {
    const frames = value.stack.slice(first + 1).split('\n');
    const own = error.stack.split('\n');
    const known = frames.map((frame) => own.indexOf(frame)).find((at) => at !== -1);
    error.stack = [...own.slice(0, known), ...frames].join('\n');
  }
  throw error;
};
function matches(text, pattern, message, start) {
  if (!isPattern(pattern)) throw argumentType('regexp', 'RegExp', pattern);
  const wants = start === assert.match;
  if (typeof text === 'string' && (pattern.exec(text) !== null) === wants) return;
  if (message instanceof Error) throw message;
  const own = typeof text !== 'string'
    ? `The "string" argument must be of type string. Received type ${typeof text} (${shelf.inspect(text)})`
    : `The input ${wants ? 'did not' : 'was expected to not'} match the regular expression ${shelf.inspect(pattern)}. Input:\n\n${shelf.inspect(text)}\n`;
  failGenerated({ actual: text, expected: pattern, message: message || own, operator: start.name, stackStartFn: start }, !message);
}
assert.match = function match(text, pattern, message) { matches(text, pattern, message, match); };
assert.doesNotMatch = function doesNotMatch(text, pattern, message) { matches(text, pattern, message, doesNotMatch); };

Object.defineProperty(assert, 'CallTracker', {
  configurable: true, enumerable: true,
  get() { shelf.load('call_tracker'); return shelf.trackerClass(); },
});

function strict(...args) { check(strict, args); }
const { CallTracker, ...common } = Object.getOwnPropertyDescriptors(assert);
Object.defineProperties(strict, Object.fromEntries(Object.entries(common).filter(([, { enumerable }]) => enumerable)));
Object.defineProperty(strict, 'CallTracker', CallTracker);
assert.strict = Object.assign(strict, {
  equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual,
});
strict.strict = strict;
builtins.assert = assert;
builtins['assert/strict'] = strict;
