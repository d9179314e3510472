// SPDX-License-Identifier: Apache-2.0
// Which names a CommonJS text exports, told from its tokens before it runs, with the same limits as
// Node: an object literal ends at the first value that is no name.
'use strict';
const { base } = shelf;
const { slice } = String.prototype;

const beforeRegex = /(?:^|[(,=:[!&|?{};+\-*%^~<>]|(?:^|[^.\w$])(?:return|typeof|instanceof|in|of|new|delete|void|throw|case|do|else|await|yield))$/;
const controls = /(?:^|[^.\w$])(?:if|while|for|with)$/;
const opensBlock = /(?:^|[;)]|=>|(?:^|[^.\w$])(?:else|finally|catch|do|try))$/;

// The text with comments as spaces, and with a filler for the texts of strings, templates and regular
// expressions, in place.
const filler = '\u0001';
class Blanker {
  constructor(text) {
    this.text = text;
    this.made = '';
    this.tail = '';  // the end of `made`, which is costly to cut
    this.from = 0;  // the code from here on is not in `made` yet
    this.at = 0;
    this.brackets = [];  // what was before each open one
    this.wasControl = false;  // of the last closed one
    this.wasBlock = false;
  }
  fill(start, end, char) {
    const part = this.text.slice(this.from, start) + char.repeat(end - start);
    this.made += part;
    this.tail = (this.tail + part.slice(-24)).slice(-24);
    this.from = end;
    this.at = end;
  }
  before() { return (this.tail + this.text.slice(Math.max(this.from, this.at - 24), this.at)).trimEnd(); }
  quoted(quote) {
    let end = this.at + 1;
    while (end < this.text.length && this.text[end] !== quote && this.text[end] !== '\n') end += this.text[end] === '\\' ? 2 : 1;
    this.fill(this.at + 1, Math.min(end, this.text.length), filler);
    this.at += 1;
  }
  template() {  // From behind a ` or the } of a part.
    let end = this.at;
    while (end < this.text.length && this.text[end] !== '`' && !(this.text[end] === '$' && this.text[end + 1] === '{')) end += this.text[end] === '\\' ? 2 : 1;
    this.fill(this.at, Math.min(end, this.text.length), filler);
    if (this.text[this.at] === '$') {
      this.brackets.push('`');
      this.at += 1;
    }
    this.at += 1;
  }
  slash() {
    const next = this.text[this.at + 1];
    if (next === '/' || next === '*') {
      const found = next === '/' ? this.text.indexOf('\n', this.at) : this.text.indexOf('*/', this.at + 2) + 2;
      this.fill(this.at, found < this.at + 1 ? this.text.length : found, ' ');
      return;
    }
    const before = this.before();
    const isRegex = (beforeRegex.test(before) && !/(?:\+\+|--|\})$/.test(before)) || (before.endsWith(')') && this.wasControl) || (before.endsWith('}') && this.wasBlock);
    this.at += 1;
    if (!isRegex) return;
    let isClass = false;
    let end = this.at;
    for (; end < this.text.length && this.text[end] !== '\n'; end += this.text[end] === '\\' ? 2 : 1) {
      if (this.text[end] === '[') isClass = true;
      else if (this.text[end] === ']') isClass = false;
      else if (this.text[end] === '/' && !isClass) break;
    }
    this.fill(this.at, Math.min(end + 1, this.text.length), filler);
  }
  run() {
    while (this.at < this.text.length) {
      const char = this.text[this.at];
      if (char === '"' || char === "'") this.quoted(char);
      else if (char === '`') { this.at += 1; this.template(); }
      else if (char === '/') this.slash();
      else if (char === '(' || char === '{') { this.brackets.push(this.before()); this.at += 1; }
      else if (char === ')') { this.wasControl = controls.test(this.brackets.pop() ?? ''); this.at += 1; }
      else if (char === '}') {
        const before = this.brackets.pop() ?? '';
        this.wasBlock = before !== '`' && opensBlock.test(before);
        this.at += 1;
        if (before === '`') this.template();
      } else this.at += 1;
    }
    return this.made + this.text.slice(this.from);
  }
}

const name = '[A-Za-z_$\\u0080-\\uffff][\\w$\\u0080-\\uffff]*';
const start = '(?<![\\w$.\\u0080-\\uffff])';
const owner = `${start}(?:module\\s*\\.\\s*)?exports`;
const string = (mark) => `(?<${mark}quote>['"])(?<${mark}>${filler}*)\\k<${mark}quote>`;
const required = `require\\s*\\(\\s*${string('file')}\\s*\\)`;
const patterns = {
  assigned: new RegExp(`${owner}\\s*(?:\\.\\s*(?<name>${name})|\\[\\s*${string('text')}\\s*\\])\\s*=`, 'dg'),
  replaced: new RegExp(`${start}module\\s*\\.\\s*exports\\s*=\\s*(?:(?<brace>\\{)|${required})?`, 'dg'),
  passed: new RegExp(`(?<![\\w$])(?:tslib\\w*\\s*\\.\\s*)?__export(?:Star)?\\s*\\(\\s*${required}`, 'dg'),
  // A getter counts only where it returns a name or a property.
  defined: new RegExp(`Object\\s*\\.\\s*defineProperty\\s*\\(\\s*${owner}\\s*,\\s*${string('text')}\\s*,\\s*\\{\\s*(?:enumerable\\s*:\\s*true\\s*,\\s*)?(?:value\\s*:|get\\s*(?::\\s*function\\s*(?:${name})?\\s*)?\\(\\s*\\)\\s*\\{\\s*return\\s+${name}\\s*(?:\\.\\s*${name}\\s*|\\[\\s*['"]${filler}*['"]\\s*\\]\\s*)?;?\\s*\\}\\s*,?\\s*\\}\\s*\\))`, 'dg'),
  // Each key of a required module.
  copied: new RegExp(`Object\\s*\\.\\s*keys\\s*\\(\\s*(?<module>${name})\\s*\\)\\s*\\.\\s*forEach\\s*\\(\\s*function\\s*\\(\\s*(?<key>${name})\\s*\\)\\s*\\{\\s*if\\s*\\(\\s*\\k<key>\\s*[=!]==\\s*['"]${filler}+['"][^]{0,400}?(?:exports\\s*\\[\\s*\\k<key>\\s*\\]\\s*=(?!=)|defineProperty\\s*\\(\\s*exports\\s*,\\s*\\k<key>\\s*,)`, 'dg'),
};
const literalName = new RegExp(`\\s*(?:(?<spread>\\.\\.\\.)\\s*(?:${required}|${name})|(?:(?<name>${name})|${string('text')})\\s*(?:(?<colon>:)\\s*(?:${name})?)?)\\s*(?<comma>,)?`, 'dgy');

function unescaped(text) {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]+)\}|(.))/gi, (all, two, four, more, char) => (char === undefined ? String.fromCodePoint(parseInt(two ?? four ?? more, 16)) : { n: '\n', t: '\t', r: '\r' }[char] ?? char));
}

// { names, files }: the files are required ones whose names are exported too.
shelf.scanExports = (text) => {
  const code = new Blanker(text).run();
  const texts = (match, mark) => unescaped(base.apply(slice, text, match.indices.groups[mark]));
  const found = [];
  for (const kind of Object.keys(patterns)) for (const match of code.matchAll(patterns[kind])) found.push({ kind, match });
  found.sort((one, other) => one.match.index - other.match.index);
  const names = [];
  let files = [];
  const literal = (at) => {
    for (literalName.lastIndex = at; ;) {
      const match = literalName.exec(code);
      if (match === null) return;
      const { groups } = match;
      if (groups.spread) {
        if (groups.file !== undefined) files.push(texts(match, 'file'));
      } else {
        const hasValue = !groups.colon || new RegExp(`:\\s*${name}\\s*,?$`).test(match[0]);
        if (!hasValue || (groups.name === undefined && !groups.colon)) return;
        names.push(groups.name ?? texts(match, 'text'));
      }
      if (!groups.comma) return;
    }
  };
  for (const { kind, match } of found) {
    const { groups } = match;
    if (kind === 'assigned') names.push(groups.name ?? texts(match, 'text'));
    else if (kind === 'defined') names.push(texts(match, 'text'));
    else if (kind === 'passed') files.push(texts(match, 'file'));
    else if (kind === 'replaced') {
      files = [];
      if (groups.brace) literal(match.index + match[0].length);
      else if (groups.file !== undefined) files.push(texts(match, 'file'));
    } else {
      const source = new RegExp(`(?<![\\w$.])${groups.module.replaceAll('$', '\\$')}\\s*=\\s*(?:_interopRequireWildcard\\s*\\(\\s*)?${required}`, 'd').exec(code);
      if (source !== null) files.push(texts(source, 'file'));
    }
  }
  return { names, files };
};
