// SPDX-License-Identifier: Apache-2.0
// AssertionError and its messages: what was compared, line by line.
'use strict';
const { base } = shelf;
const show = (value) => shelf.inspect(value, { compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, showHidden: false, showProxy: false, sorted: true, getters: true });
const isObject = (value) => value !== null && typeof value === 'object';

const headings = {
  deepStrictEqual: 'Expected values to be strictly deep-equal:',
  strictEqual: 'Expected values to be strictly equal:',
  strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
  deepEqual: 'Expected values to be loosely deep-equal:',
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  notDeepEqualUnequal: 'Expected values not to be loosely deep-equal:',
};
const sameButApart = 'Values have same structure but are not reference-equal:';
const shortest = 12;  // Two short values stand side by side.
const linesMax = 50;

function cut(lines) { return lines.length > linesMax ? [...lines.slice(0, 46), '...'] : lines; }

// The lines that both texts end with: removed from both. Three of them are shown, and the first.
function takeCommonEnd(actual, expected) {
  const common = [];
  while (actual.length > 0 && expected.length > 0 && actual[actual.length - 1] === expected[expected.length - 1]) {
    common.unshift(actual.pop());
    expected.pop();
  }
  const shown = common.slice(-3).map((line) => `  ${line}`);
  if (common.length >= 5) shown.unshift('...');
  if (common.length > 3) shown.unshift(`  ${common[0]}`);
  return { text: shown.map((line) => `\n${line}`).join(''), hasSkipped: common.length >= 5 };
}

// Compares the lines of two values pairwise, with signs. Runs of differences show the actual lines
// first; of a long run of equal lines the first two and the last two are shown.
class Difference {
  text = '';
  held = '';  // expected lines of the current run
  equal = 0;
  printed = 0;
  hasSkipped = false;
  put(line) { this.text += `\n${line}`; this.printed += 1; }
  // Before a difference: the last lines of the equal ones.
  endRun(lines, at) {
    if (this.equal > 5) {
      this.text += '\n...';
      this.hasSkipped = true;
    }
    const first = this.equal === 5 ? 3 : Math.min(2, this.equal - 2);
    for (let back = first; back > 0; back -= 1) this.put(`  ${lines[at - back]}`);
    this.equal = 0;
  }
  pair(actual, expected, at) {
    const left = actual[at];
    const right = expected[at];
    if (left === right || left === `${right},` || right === `${left},`) {
      this.text += this.held;
      this.held = '';
      this.equal += 1;
      if (this.equal <= 2) this.put(`  ${left === right ? left : `${left.replace(/,$/, '')},`}`);
      return;
    }
    this.endRun(actual, at);
    this.put(`+ ${left}`);
    this.held += `\n- ${right}`;
    this.printed += 1;
  }
  single(lines, at, isActual) {
    this.endRun(lines, at);
    if (isActual) this.text += `\n+ ${lines[at]}`;
    else this.held += `\n- ${lines[at]}`;
    this.printed += 1;
  }
}

// A mark below the first character that differs, of two values that fit on a line.
function pointer(left, right) {
  if (left.length + right.length >= 80) return '';
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return at > 2 ? `\n  ${' '.repeat(at)}^` : '';
}

function differenceText(actual, expected, operator, message) {
  const text = show(actual);
  const left = text.split('\n');
  const right = show(expected).split('\n');
  const areObjects = (isObject(actual) && isObject(expected)) || (typeof actual === 'function' && typeof expected === 'function');
  const isReference = operator === 'strictEqual' && areObjects;
  const heading = message || headings[isReference ? 'strictEqualObject' : operator];
  let mark = '';
  if (left.length === 1 && right.length === 1 && left[0] !== right[0]) {
    if (left[0].length + right[0].length > shortest) {
      if (!isReference) mark = pointer(left[0], right[0]);
    } else if (!isObject(actual) && !isObject(expected) && (actual !== 0 || expected !== 0)) {
      return `${heading}\n\n${left[0]} !== ${right[0]}\n`;
    }
  }
  const end = takeCommonEnd(left, right);
  const count = Math.max(left.length, right.length);
  if (count === 0) return `${sameButApart}\n\n${cut(text.split('\n')).join('\n')}\n`;
  const difference = new Difference();
  const isLonger = left.length >= right.length;
  const lines = isLonger ? left : right;
  for (let i = 0; i < count; i += 1) {
    if (i < Math.min(left.length, right.length)) difference.pair(left, right, i);
    else difference.single(lines, i, isLonger);
    if (difference.printed > linesMax && i < count - 2) {
      return `${heading}\n+ actual - expected ... Lines skipped\n${difference.text}\n...${difference.held}\n...`;
    }
  }
  const skipped = end.hasSkipped || difference.hasSkipped ? ' ... Lines skipped' : '';
  return `${heading}\n+ actual - expected${skipped}\n${difference.text}${difference.held}${end.text}${mark}`;
}

function sameText(actual, operator) {
  const lines = cut(show(actual).split('\n'));
  const isReference = operator === 'notStrictEqual' && (isObject(actual) || typeof actual === 'function');
  const heading = headings[isReference ? 'notStrictEqualObject' : operator];
  if (lines.length > 1) return `${heading}\n\n${lines.join('\n')}\n`;
  return `${heading}${lines[0].length > 5 ? '\n\n' : ' '}${lines[0]}`;
}

function looseText(actual, expected, operator) {
  const limit = (text, most) => (text.length > most ? `${text.slice(0, most - 3)}...` : text);
  const left = show(actual);
  const right = show(expected);
  if (operator === 'notDeepEqual' && left === right) return limit(`${headings.notDeepEqual}\n\n${left}`, 1024);
  const [one, other] = [limit(left, 512), limit(right, 512)];
  if (operator === 'deepEqual') return `${headings.deepEqual}\n\n${one}\n\nshould loosely deep-equal\n\n${other}`;
  if (operator === 'notDeepEqual') return `${headings.notDeepEqualUnequal}\n\n${one}\n\nshould not loosely deep-equal\n\n${other}`;
  return `${one} ${operator} ${other}`;
}

// Without its stack, so that the text of an error shows its class and message alone.
function withoutStack(error) {
  const made = Object.assign(Object.create(Object.getPrototypeOf(error)), error);
  Object.defineProperty(made, 'message', { value: error.message });
  return made;
}

function messageOf({ message, operator, actual, expected }) {
  const isCompared = operator === 'deepStrictEqual' || operator === 'strictEqual';
  if (message != null) return isCompared ? differenceText(actual, expected, operator, message) : String(message);
  const areErrors = actual instanceof Error && expected instanceof Error;
  const left = areErrors ? withoutStack(actual) : actual;
  const right = areErrors ? withoutStack(expected) : expected;
  if (isCompared) return differenceText(left, right, operator);
  if (operator === 'notDeepStrictEqual' || operator === 'notStrictEqual') return sameText(left, operator);
  return looseText(left, right, operator);
}

const shorten = (text) => {
  const lines = text.split('\n');
  if (lines.length > 10) return `${lines.slice(0, 10).join('\n')}\n...`;
  return text.length > 512 ? `${text.slice(512)}...` : text;
};
class AssertionError extends Error {
  constructor(options) {
    base.checks.isObject(options, 'options');
    super(messageOf(options));
    const { message, operator, actual, expected, stackStartFn } = options;
    this.generatedMessage = !message;
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
  // The message has shown both values already.
  [shelf.inspect.custom](depth, options) {
    const { actual, expected } = this;
    if (typeof actual === 'string') this.actual = shorten(actual);
    if (typeof expected === 'string') this.expected = shorten(expected);
    const text = shelf.inspect(this, { ...options, customInspect: false, depth: 0 });
    this.actual = actual;
    this.expected = expected;
    return text;
  }
}
shelf.AssertionError = AssertionError;
