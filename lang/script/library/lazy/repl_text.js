// SPDX-License-Identifier: Apache-2.0
// What an input at a prompt is: its words, whether it has ended, and the same with `await` at the top.
'use strict';
const { base } = shelf;
const { engine } = base;

// ---- Words ----

const spaces = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)+/y;
const word = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy;
const number = /(?:0[xob][\da-f_]+|\d[\d_]*\.?[\d_]*(?:e[+-]?\d+)?|\.\d[\d_]*)n?/iy;
const text = /'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"/y;
const regex = /\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const sign = />>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|\*\*|[^]/y;
const beforeValue = /^(?:return|typeof|case|in|of|delete|void|throw|new|do|else|instanceof|yield|await)$|^(?:[({[,;:?=!&|+\-*%~^<>]|=>|[^\w\s)}\].$'"`]+)$/;
// [{ kind, value, start, end, depth }], and whether a bracket, a text or a comment is open.
function words(input) {
  const found = [];
  const open = [];
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const match = pattern.exec(input);
    return match === null ? undefined : match[0];
  };
  const add = (kind, value) => {
    found[found.length] = { kind, value, start: at, end: at + value.length, depth: open.length };
    at += value.length;
  };
  // To the ${ or the end of a template.
  const template = () => {
    const from = at;
    for (at += 1; at < input.length; at += 1) {
      if (input[at] === '\\') at += 1;
      else if (input[at] === '`') break;
      else if (input[at] === '$' && input[at + 1] === '{') { at += 1; break; }
    }
    const isOpen = at >= input.length;
    const value = input.slice(from, at + 1);
    at = from;
    add('text', value);
    if (!isOpen && value.endsWith('${')) open.push('`');
    return isOpen;
  };
  while (at < input.length) {
    const gap = take(spaces);
    if (gap !== undefined) { at += gap.length; continue; }
    if (input.startsWith('/*', at)) return { found, isOpen: true };
    const last = found[found.length - 1];
    let value;
    if ((value = take(word)) !== undefined) add('word', value);
    else if ((value = take(number)) !== undefined && value !== '') add('number', value);
    else if ((value = take(text)) !== undefined) add('text', value);
    else if (input[at] === '`') { if (template()) return { found, isOpen: true }; }
    else if (input[at] === '}' && open[open.length - 1] === '`') {
      open.pop();
      if (template()) return { found, isOpen: true };
    } else if (input[at] === '/' && (last === undefined || beforeValue.test(last.value)) && (value = take(regex)) !== undefined) add('text', value);
    else {
      value = take(sign);
      if (')]}'.includes(value)) open.pop();
      add('sign', value);
      if ('([{'.includes(value)) open.push(value);
    }
  }
  // A text that goes on behind a backslash.
  return { found, isOpen: open.length > 0 || /\\\n?$/.test(input) };
}

const compiles = (source) => {
  try { engine.checkScript(source, '[input]', 0, 0); return true; } catch { return false; }
};
const messageOf = (source) => {
  try { engine.checkScript(source, '[input]', 0, 0); return ''; } catch (error) { return error.message; }
};
function isComplete(input) {
  if (words(input).isOpen) return false;
  if (compiles(input) || compiles(`(async () => {${input}\n})`) || compiles(`(${input.trim()}\n)`)) return true;
  // An error at the end is another one with a further word: more lines may follow.
  return messageOf(input) === messageOf(`${input}\n\u0001`);
}

// ---- await at the top ----

const statementWords = /^(?:if|for|while|do|switch|try|throw|return|break|continue|function|class|const|let|var|import|export|debugger|with|\{|;)$/;
const continues = /^(?:[.,?:=&|+\-*/%^<>([`]|\?\.|=>|in|instanceof|of|[^\w\s({[`~!;}]+)$/;
// The index of the word behind a statement that begins with that at `first`.
function statementEnd(list, first, input) {
  let depth = list[first].depth;
  for (let i = first; i < list.length; i += 1) {
    const one = list[i];
    if (one.depth > depth) continue;
    if (one.value === ';') return i + 1;
    const next = list[i + 1];
    if (next === undefined) return i + 1;
    if (next.depth > depth || i === first) continue;
    const isNewLine = /\n/.test(input.slice(one.end, next.start));
    if (isNewLine && !beforeValue.test(one.value) && !continues.test(next.value)) return i + 1;
  }
  return list.length;
}
// The names of a pattern or a list of declarators: what is no key, no default and no initializer.
function boundNames(list, names) {
  for (let i = 0; i < list.length; i += 1) {
    const one = list[i];
    if (one.value === '=') {
      const { depth } = one;
      while (i + 1 < list.length && !(list[i + 1].depth <= depth && /^[,}\]]$/.test(list[i + 1].value))) i += 1;
    } else if (one.kind === 'word' && list[i + 1]?.value !== ':') names[names.length] = one.value;
    else if (one.value === '[' && list[i + 1] !== undefined && i > 0 && /^[{,]$/.test(list[i - 1].value) && keyEnd(list, i) !== undefined) i = keyEnd(list, i);
  }
}
function keyEnd(list, at) {
  for (let i = at + 1; i < list.length; i += 1) {
    if (list[i].value === ']' && list[i].depth === list[at].depth) return list[i + 1]?.value === ':' ? i + 1 : undefined;
  }
  return undefined;
}
const importPattern = /^import\s*(?:(?:([\w$]+)\s*,?\s*)?(?:\*\s*as\s+([\w$]+)\s*|\{([^}]*)\}\s*)?from\s*)?(['"][^'"]*['"])(\s*with\s*\{[^}]*\})?\s*;?\s*$/;
function asCall(statement, names) {
  const match = importPattern.exec(statement.trim());
  if (match === null) return statement;
  const [, whole, space, list, from] = match;
  if (whole === undefined && space === undefined && list === undefined) return `await import(${from});`;
  const parts = [];
  const bind = (key, name) => { names.push(name); parts.push(`${key}: ${name}`); };
  if (whole !== undefined) bind('default', whole);
  for (const one of (list ?? '').split(',').map((part) => part.trim()).filter(Boolean)) {
    const [key, name = key] = one.split(/\s+as\s+/);
    bind(key, name);
  }
  if (space === undefined) return `({ ${parts.join(', ')} } = await import(${from}));`;
  names.push(space);
  return `${space} = await import(${from});${parts.length ? ` ({ ${parts.join(', ')} } = ${space});` : ''}`;
}
// The names become variables of the whole session, and the last expression the value.
function asFunction(input) {
  const list = words(input).found;
  const names = [];
  let head = '';
  let made = '';
  for (let i = 0; i < list.length;) {
    const end = statementEnd(list, i, input);
    const begin = list[i].start;
    const stop = end < list.length ? list[end].start : input.length;
    const source = input.slice(begin, stop);
    const isAsync = list[i].value === 'async' && list[i + 1]?.value === 'function';
    const name = list.slice(i, i + 4).find((one) => one.kind === 'word' && !/^(?:async|function|class)$/.test(one.value))?.value;
    if (/^(?:const|let|var)$/.test(list[i].value)) {
      boundNames(list.slice(i + 1, end), names);
      const body = source.slice(list[i].value.length).replace(/;?\s*$/, '');
      made += `void (${body.includes('=') ? body : body.split(',').map((one) => `${one} = undefined`).join(',')}\n);`;
    } else if (list[i].value === 'import' && list[i + 1]?.value !== '(' && list[i + 1]?.value !== '.') made += asCall(source, names);
    else if (list[i].value === 'function' || isAsync) {
      head += `globalThis.${name} = ${name};`;
      made += source;
    } else if (list[i].value === 'class') {
      names.push(name);
      made += `${name} = ${source};`;
    } else if (end >= list.length && !statementWords.test(list[i].value) && list[i + 1]?.value !== ':') made += `return (${source.replace(/;?\s*$/, '')}\n);`;
    else made += source;
    i = end;
  }
  return { names, source: `(async () => {${head}${made}\n})()` };
}
// { source, names }: what to run, and the names to declare before; `isAsync`: its value is awaited.
function prepared(input) {
  const list = words(input).found;
  const hasImport = list.some((one, at) => one.value === 'import' && one.depth === 0 && list[at + 1]?.value !== '(' && list[at + 1]?.value !== '.');
  const hasAwait = list.some((one) => one.kind === 'word' && one.value === 'await');
  // No `await` is allowed in this block, but those inside of functions.
  if (hasImport || (hasAwait && !compiles(`class _ { static {${input}\n} }`))) {
    const made = asFunction(input);
    if (compiles(made.source)) return { ...made, isAsync: true };
  }
  const isObject = /^\s*\{/.test(input) && !/;\s*$/.test(input) && compiles(`(${input.trim()}\n)`);
  return { source: isObject ? `(${input.trim()}\n)` : input, names: [], isAsync: false };
}
// Names that an input declares for the whole session.
function declared(input) {
  const list = words(input).found;
  const names = [];
  for (let i = 0; i < list.length;) {
    const end = statementEnd(list, i, input);
    if (/^(?:const|let|var)$/.test(list[i].value)) boundNames(list.slice(i + 1, end), names);
    if (/^(?:class|function)$/.test(list[i].value) && list[i + 1]?.kind === 'word') names.push(list[i + 1].value);
    i = end;
  }
  return names;
}
shelf.replText = { isComplete, prepared, declared };
