// SPDX-License-Identifier: Apache-2.0
// util.inspect, part 4: errors and their stacks.
'use strict';
const { base } = shelf;
const parts = shelf.inspecting;
const { isInstance, prefix } = parts;

function errorShape(state, value, name, tag, own, more) {
  const stack = stackOf(value);
  const keys = own.slice();
  if (!state.showHidden) {
    // What the first line says is not said again.
    for (const key of ['name', 'message', 'stack']) {
      const index = keys.indexOf(key);
      if (index !== -1 && stack.includes(value[key])) keys.splice(index, 1);
    }
  }
  if ('cause' in value && !keys.includes('cause')) keys.push('cause');
  if (Array.isArray(value.errors) && !keys.includes('errors')) keys.push('errors');
  let text = withoutSharedFrames(state, value, betterHeading(value, name, tag, stack));
  const at = value.message ? text.indexOf(value.message) : -1;
  const firstFrame = text.indexOf('\n    at', at === -1 ? 0 : at + value.message.length);
  if (firstFrame === -1) text = `[${text}]`;
  else if (state.colors) text = greyFrames(state, text, firstFrame);
  if (state.indent !== 0) text = text.replaceAll('\n', `\n${' '.repeat(state.indent)}`);
  if (keys.length === 0 && !more.hasInherited) return { text };
  return { braces: ['{', '}'], base: text, keys };
}
function stackOf(error) {
  if (error.stack) return String(error.stack);
  return base.errorToString(error);
}
// The frames that the cause of an error shows too are left out.
function withoutSharedFrames(state, error, text) {
  const { cause } = error;
  if (cause === undefined || !isInstance(cause, Error) || typeof cause.stack !== 'string') return text;
  const lines = text.split('\n');
  const head = lines.findIndex((line) => /^ {4}at /.test(line));
  const others = cause.stack.split('\n').filter((line) => /^ {4}at /.test(line));
  if (head === -1) return text;
  const frames = lines.slice(head);
  for (let i = 0; i < frames.length - 3; i += 1) {
    const at = others.indexOf(frames[i]);
    if (at === -1) continue;
    let count = 0;
    while (i + count < frames.length && at + count < others.length && frames[i + count] === others[at + count]) count += 1;
    if (count <= 3) continue;
    const told = state.stylize(`    ... ${count - 2} lines matching cause stack trace ...`, 'undefined');
    lines.splice(head + i + 1, count - 2, told);
    return lines.join('\n');
  }
  return text;
}
// Frames of the host are grey, and so is the working folder of the others; packages are underlined.
function greyFrames(state, text, first) {
  const folder = base.natives.directory();
  const mark = (line) => {
    const named = line.replace(/(?<=[/\\]node_modules[/\\])(@[^/\\]+[/\\])?[^/\\]+/g, (name) => state.stylize(name, 'module'));
    let at = named.indexOf(folder);
    if (at === -1) return named;
    const end = at + folder.length + 1;
    if (named.slice(at - 7, at) === 'file://') at -= 7;
    const isInParentheses = named[at - 1] === '(';
    if (isInParentheses) at -= 1;
    const isClosed = isInParentheses && named.endsWith(')');
    return named.slice(0, at) + state.stylize(named.slice(at, end), 'undefined') +
      (isClosed ? named.slice(end, -1) + state.stylize(')', 'undefined') : named.slice(end));
  };
  return text.slice(0, first + 1) + text.slice(first + 1).split('\n')
    .map((line) => (/\((gyre|node):|at (gyre|node):/.test(line) ? state.stylize(line, 'undefined') : mark(line))).join('\n');
}
// The class of an error stands in its first line even where its name does not say it.
function betterHeading(error, name, tag, stack) {
  const own = error.name != null ? String(error.name) : 'Error';
  const after = stack[own.length];
  const isUsual = own.endsWith('Error') && stack.startsWith(own) && (after === undefined || after === ':' || after === '\n');
  if (name !== null && !isUsual) return stack;
  let size = own.length;
  let fallback = 'Error';
  if (name === null) {
    const start = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n {4}at)/.exec(stack) ?? /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
    size = start === null ? 0 : start[1].length;
    fallback = start === null ? 'Error' : start[1];
  }
  const heading = prefix(name, tag, fallback).slice(0, -1);
  if (own === heading) return stack;
  const rest = stack.slice(size);
  if (!heading.includes(own)) return `${heading} [${own}]${rest}`;
  return size === 0 ? `${heading}: ${stack}` : `${heading}${rest}`;
}
Object.assign(parts, { errorShape });
