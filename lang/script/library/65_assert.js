// SPDX-License-Identifier: Apache-2.0
// node:assert, with differences that a reader can use.
'use strict';
const { base, builtins } = shelf;
const { isDeep } = shelf;
const { argumentType, coded, apply } = base;
const show = (value) => shelf.inspect(value, { depth: 1000, maxArrayLength: Infinity, showHidden: false, showProxy: false, sorted: true, getters: true, breakLength: Infinity, compact: false, customInspect: false });

const headings = {
  deepStrictEqual: 'Expected values to be strictly deep-equal:',
  strictEqual: 'Expected values to be strictly equal:',
  strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
  deepEqual: 'Expected values to be loosely deep-equal:',
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  notIdentical: 'Values identical but not reference-equal:',
};
// The longest common subsequence of two lists of lines: each line with its sign.
function compare(actual, expected) {
  const [n, m] = [actual.length, expected.length];
  if (n * m > 4_000_000) return [...actual.map((line) => ['+', line]), ...expected.map((line) => ['-', line])];
  const table = Array.from({ length: n + 1 }, () => new Uint32Array(m + 1));
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let j = m - 1; j >= 0; j -= 1) table[i][j] = actual[i] === expected[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  }
  const made = [];
  let i = 0;
  let j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && actual[i] === expected[j]) { made.push([' ', actual[i]]); i += 1; j += 1; } else if (i < n && (j === m || table[i + 1][j] >= table[i][j + 1])) { made.push(['+', actual[i]]); i += 1; } else { made.push(['-', expected[j]]); j += 1; }
  }
  return made;
}
function differenceText(actual, expected, operator) {
  const left = show(actual);
  const right = show(expected);
  const isObject = (value) => value !== null && (typeof value === 'object' || typeof value === 'function');
  if (operator === 'strictEqual' && isObject(actual) && isObject(expected)) {
    operator = left === right ? 'notIdentical' : 'strictEqualObject';
    if (operator === 'notIdentical') return `${headings.notIdentical}\n\n${left}\n`;
  }
  if (!left.includes('\n') && !right.includes('\n') && left !== right && !isObject(actual) && !isObject(expected) && left.length + right.length <= 12 && (actual !== 0 || expected !== 0)) {
    return `${headings[operator]}\n\n${left} !== ${right}\n`;
  }
  const lines = compare(left.split('\n'), right.split('\n')).map(([sign, line]) => `${sign} ${line}`);
  return `${headings[operator]}\n+ actual - expected\n\n${lines.join('\n')}`;
}
function notText(actual, operator) {
  const text = show(actual);
  const heading = operator === 'notStrictEqual' && actual !== null && (typeof actual === 'object' || typeof actual === 'function') ? headings.notStrictEqualObject : headings[operator];
  return text.includes('\n') || text.length > 5 ? `${heading}\n\n${text}${text.includes('\n') ? '\n' : ''}` : `${heading} ${text}`;
}

class AssertionError extends Error {
  constructor(options) {
    base.checks.isObject(options, 'options');
    const { message, operator, actual, expected, stackStartFn } = options;
    let text = message;
    if (message == null) {
      if (operator === 'deepStrictEqual' || operator === 'strictEqual') text = differenceText(actual, expected, operator);
      else if (operator in headings && operator.startsWith('not')) text = notText(actual, operator);
      else if (operator === 'deepEqual') text = `${headings.deepEqual}\n\n${show(actual)}\n\nshould loosely deep-equal\n\n${show(expected)}`;
      else text = `${short(actual)} ${operator} ${short(expected)}`;
    }
    super(String(text));
    this.generatedMessage = message == null;
    Object.defineProperty(this, 'name', { value: 'AssertionError [ERR_ASSERTION]', enumerable: false, writable: true, configurable: true });
    this.code = 'ERR_ASSERTION';
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
    Error.captureStackTrace?.(this, stackStartFn ?? AssertionError);
    void this.stack;
    this.name = 'AssertionError';
  }
  toString() { return `${this.name} [${this.code}]: ${this.message}`; }
}
const short = (value) => {
  const text = shelf.inspect(value);
  return text.length > 512 ? `${text.slice(0, 512)}...` : text;
};

function fail(options, message, start, isOwn = false) {
  if (message instanceof Error) throw message;
  const error = new AssertionError({ ...options, message, stackStartFn: start });
  if (isOwn) error.generatedMessage = true;
  throw error;
}
function ok(value, message) {
  if (value) return;
  if (arguments.length === 0) fail({ actual: value, expected: true, operator: '==' }, 'No value argument passed to `assert.ok()`', ok);
  fail({ actual: value, expected: true, operator: '==' }, message ?? 'The expression evaluated to a falsy value', ok);
}
const assert = (...args) => apply(ok, null, args);
Object.defineProperty(assert, 'name', { value: 'ok' });

const checks = {
  equal: ['==', (a, b) => a == b || (a !== a && b !== b)],
  notEqual: ['!=', (a, b) => a != b && !(a !== a && b !== b)],
  strictEqual: ['strictEqual', Object.is],
  notStrictEqual: ['notStrictEqual', (a, b) => !Object.is(a, b)],
  deepEqual: ['deepEqual', (a, b) => isDeep(a, b, false)],
  notDeepEqual: ['notDeepEqual', (a, b) => !isDeep(a, b, false)],
  deepStrictEqual: ['deepStrictEqual', (a, b) => isDeep(a, b, true)],
  notDeepStrictEqual: ['notDeepStrictEqual', (a, b) => !isDeep(a, b, true)],
};
for (const name of Object.keys(checks)) {
  const [operator, isFine] = checks[name];
  assert[name] = { [name](...args) {
    if (args.length < 2) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "actual" and "expected" arguments must be specified');
    const [actual, expected, message] = args;
    if (!isFine(actual, expected)) fail({ actual, expected, operator }, message, assert[name]);
  } }[name];
}

// Whether what was thrown is as expected: a class, a pattern, an object of properties or a function.
function checkThrown(thrown, expected, message, operator) {
  if (expected === undefined) return;
  if (typeof expected === 'function') {
    if (expected.prototype !== undefined && thrown instanceof expected) return;
    if (Object.prototype.isPrototypeOf.call(Error, expected) || expected === Error) {
      if (thrown instanceof Error || true) {
        const text = message ?? `The error is expected to be an instance of "${expected.name}". Received ${thrown instanceof Error ? `"${thrown.name}"\n\nError message:\n\n${thrown.message}` : `"${shelf.inspect(thrown, { depth: -1 })}"`}`;
        fail({ actual: thrown, expected, operator }, text, assert[operator]);
      }
    }
    const result = apply(expected, {}, [thrown]);
    if (result !== true) {
      const name = expected.name ? `"${expected.name}" ` : '';
      fail({ actual: thrown, expected, operator }, message ?? `The ${name}validation function is expected to return "true". Received ${shelf.inspect(result)}\n\nCaught error:\n\n${thrown}`, assert[operator]);
    }
    return;
  }
  if (base.engine.kind(expected) === 'RegExp') {
    if (!expected.test(String(thrown))) fail({ actual: thrown, expected, operator }, message ?? `The input did not match the regular expression ${expected}. Input:\n\n${shelf.inspect(String(thrown))}\n`, assert[operator]);
    return;
  }
  if (thrown === null || typeof thrown !== 'object') fail({ actual: thrown, expected, operator: 'deepStrictEqual' }, message, assert[operator]);
  const keys = Object.keys(expected);
  if (expected instanceof Error) keys.push('name', 'message');
  for (const name of keys) {
    const isMatch = base.engine.kind(expected[name]) === 'RegExp' && typeof thrown[name] === 'string' ? expected[name].test(thrown[name]) : isDeep(thrown[name], expected[name], true);
    if (isMatch) continue;
    const pick = (source) => Object.fromEntries(keys.filter((one) => one in source).map((one) => [one, source[one]]));
    fail({ actual: pick(thrown), expected: pick(expected), operator: 'deepStrictEqual' }, message, assert[operator]);
  }
}
function expectsOf(args) {
  const [expected, message] = args;
  if (typeof expected === 'string') return [undefined, expected];
  return [expected, message];
}
const missing = (what, expected, message) => `Missing expected ${what}${expected?.name ? ` (${expected.name}).` : message ? `: ${message}` : '.'}`;
assert.throws = function throws(body, ...args) {
  base.checks.isFunction(body, 'fn');
  const [expected, message] = expectsOf(args);
  let thrown;
  try { body(); } catch (error) { thrown = { error }; }
  if (!thrown) fail({ actual: undefined, expected, operator: 'throws' }, missing('exception', expected, message), throws);
  checkThrown(thrown.error, expected, message, 'throws');
};
assert.doesNotThrow = function doesNotThrow(body, ...args) {
  base.checks.isFunction(body, 'fn');
  const [, message] = expectsOf(args);
  try { body(); } catch (error) {
    fail({ actual: error, expected: undefined, operator: 'doesNotThrow' }, `Got unwanted exception${message ? `: ${message}` : '.'}\nActual message: "${error && error.message}"`, doesNotThrow);
  }
};
async function settle(body) {
  const promise = typeof body === 'function' ? body() : body;
  if (promise === null || typeof promise !== 'object' || typeof promise.then !== 'function') {
    if (typeof body === 'function') throw coded(TypeError, 'ERR_INVALID_RETURN_VALUE', `Expected instance of Promise to be returned from the "promiseFn" function but got ${base.received(promise)}.`);
    throw argumentType('promiseFn', ['function', 'Promise'], body);
  }
  try { await promise; } catch (error) { return { error }; }
  return undefined;
}
assert.rejects = async function rejects(body, ...args) {
  const [expected, message] = expectsOf(args);
  const thrown = await settle(body);
  if (!thrown) fail({ actual: undefined, expected, operator: 'rejects' }, missing('rejection', expected, message), rejects);
  checkThrown(thrown.error, expected, message, 'rejects');
};
assert.doesNotReject = async function doesNotReject(body, ...args) {
  const [, message] = expectsOf(args);
  const thrown = await settle(body);
  if (thrown) fail({ actual: thrown.error, expected: undefined, operator: 'doesNotReject' }, `Got unwanted rejection${message ? `: ${message}` : '.'}\nActual message: "${thrown.error && thrown.error.message}"`, doesNotReject);
};
assert.fail = function failed(message = 'Failed') {
  if (message instanceof Error) throw message;
  const error = new AssertionError({ message, operator: 'fail', stackStartFn: failed });
  error.generatedMessage = arguments.length === 0;
  throw error;
};
assert.ifError = function ifError(value) {
  if (value === null || value === undefined) return;
  const text = value instanceof Error ? value.message : shelf.inspect(value);
  throw new AssertionError({ actual: value, expected: null, operator: 'ifError', message: `ifError got unwanted exception: ${text}`, stackStartFn: ifError });
};
assert.match = function match(text, pattern, message) {
  if (typeof text === 'string' && pattern.test(text)) return;
  fail({ actual: text, expected: pattern, operator: 'match' }, message ?? `The input did not match the regular expression ${pattern}. Input:\n\n${shelf.inspect(text)}\n`, match, message == null);
};
assert.doesNotMatch = function doesNotMatch(text, pattern, message) {
  if (!pattern.test(text)) return;
  fail({ actual: text, expected: pattern, operator: 'doesNotMatch' }, message ?? `The input was expected to not match the regular expression ${pattern}. Input:\n\n${shelf.inspect(text)}\n`, doesNotMatch, message == null);
};
assert.ok = ok;
assert.AssertionError = AssertionError;
const strict = Object.assign((...args) => apply(ok, null, args), assert, {
  equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual,
});
assert.strict = strict;
strict.strict = strict;
builtins.assert = assert;
builtins['assert/strict'] = strict;
