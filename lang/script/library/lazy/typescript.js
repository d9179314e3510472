// SPDX-License-Identifier: Apache-2.0
// TypeScript: types are blanked out with spaces, so that every line and column stays where it is.
// The package sucrase parses: it marks the tokens of types. What makes code and cannot be removed
// (enums, namespaces, parameter properties) is an error.
'use strict';
const { base } = shelf;
const { coded } = base;
shelf.loadPackaged('typescript_package', 'ERR_UNKNOWN_FILE_EXTENSION', 'This build runs no TypeScript: sucrase was not fetched (./dev setup)');
const requireFile = shelf.packageLoader(shelf.typescriptPackage);
const { parse } = requireFile('dist/parser/index.js');
const { TokenType: tt } = requireFile('dist/parser/tokenizer/types.js');
const parser = requireFile('dist/parser/traverser/base.js');

// Where `<T>value` was parsed: as a token it looks like a type parameter.
const plugin = requireFile('dist/parser/plugins/typescript.js');
const conditionals = requireFile('dist/parser/plugins/types.js');
const { eat } = requireFile('dist/parser/tokenizer/index.js');
const parseAssertion = plugin.tsParseTypeAssertion;
let assertions;
plugin.tsParseTypeAssertion = () => {
  const { tokens } = parser.state;
  assertions[assertions.length] = tokens[tokens.length - 1].start;
  parseAssertion();
};

// `a ? (b) : c => d`: the parser takes `: c` for the type of an arrow function's result. Where that
// fails, once more with parentheses that have none.
const { typedParseConditional } = conditionals;
const { tsParseArrow } = plugin;
let hasReturnTypes = true;
conditionals.typedParseConditional = (noIn) => {
  const before = parser.state.snapshot();
  typedParseConditional(noIn);
  if (parser.state.error === null || !hasReturnTypes) return;
  const failed = parser.state.snapshot();
  parser.state.restoreFromSnapshot(before);
  hasReturnTypes = false;
  typedParseConditional(noIn);
  hasReturnTypes = true;
  if (parser.state.error !== null) parser.state.restoreFromSnapshot(failed);
};
plugin.tsParseArrow = () => (hasReturnTypes ? tsParseArrow() : eat(tt.arrow));

// ---- Errors ----

// Its stack begins with the place, as that of every error of syntax.
function syntaxError(code, message, { text, file }, at) {
  const error = coded(SyntaxError, code, message);
  const lines = text.slice(0, at).split('\n');
  const [line, column] = [lines.length, lines[lines.length - 1].length];
  error.stack = `${file}:${line}\n${text.split('\n')[line - 1]}\n${' '.repeat(column)}^\n\n${error.name} [${code}]: ${message}\n    at ${file}:${line}:${column + 1}`;
  shelf.placedErrors?.set(error, true);
  return error;
}
const refusals = {
  enum: 'an enum makes code, so that removing its types is not enough: write an object `as const`, and a type of its values',
  namespace: 'a namespace makes code, so that removing its types is not enough: write a module, or export an object',
  property: 'a parameter property makes code, so that removing its type is not enough: declare the field, and assign it in the constructor',
  assertion: 'the assertion `<T>value` cannot be removed: write `value as T`',
  decorator: 'a decorator makes code, so that removing types is not enough: call its function yourself, or compile the file to JavaScript first',
  importEquals: '`import name = ...` makes code: write `import`, or `const name = require(...)`',
  exportEquals: '`export =` makes code: write `export default`, or `module.exports =`',
};
const refuse = (which, source, token) => {
  throw syntaxError('ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX', refusals[which], source, token.start);
};

// ---- One file ----

const opening = [tt.parenL, tt.bracketL, tt.braceL, tt.braceBarL, tt.dollarBraceL];
const closing = [tt.parenR, tt.bracketR, tt.braceR, tt.braceBarR];
const modifiers = [tt._public, tt._private, tt._protected, tt._readonly, tt._override, tt._abstract, tt._declare];
// A statement or member of a class that begins with one of these would go on from the line before.
const goesOn = /[([`+\-/*]/;
const statementWords = ['type', 'interface', 'declare', 'abstract', 'namespace', 'module', 'function', 'async', 'export', 'import'];

class Blanker {
  constructor(source, tokens) {
    this.source = source;
    this.text = source.text;
    this.tokens = tokens;
    this.pieces = [];  // [begin, end, what stands there instead]
    this.open = [];  // the brackets around the token, outside of types; 'class' for the body of one
    this.classes = new base.SafeSet();  // contextIds of classes
  }
  word(index) {
    const token = this.tokens[index];
    return token === undefined ? '' : this.text.slice(token.start, token.end);
  }
  is(index, ...types) { return types.includes(this.tokens[index]?.type); }
  isInClass() { return this.open[this.open.length - 1] === 'class'; }
  blank(begin, end, mark = '') {
    this.pieces[this.pieces.length] = [begin, end, mark];
  }
  blankTokens(first, last, mark) { this.blank(this.tokens[first].start, this.tokens[last].end, mark); }
  hasLineBreak(before, after) { return /[\n\r\u2028\u2029]/.test(this.text.slice(this.tokens[before].end, this.tokens[after].start)); }

  run() {
    let index = 0;
    while (index < this.tokens.length) index = this.step(index);
    return this.assembled();
  }
  // Handles what begins at a token; the index behind it.
  step(index) {
    const token = this.tokens[index];
    if (token.isType) return this.types(index);
    if (token.type === tt._class) this.classes.add(token.contextId);
    if (opening.includes(token.type)) {
      const isClass = token.type === tt.braceL && token.contextId !== null && this.classes.has(token.contextId);
      this.open.push(isClass ? 'class' : token.type);
    } else if (closing.includes(token.type)) this.open.pop();
    else if (token.type === tt._enum) refuse('enum', this.source, token);
    else if (token.type === tt.at) refuse('decorator', this.source, token);
    else if (token.type === tt.nonNullAssertion) this.blankTokens(index, index);
    else if (modifiers.includes(token.type)) return this.modifier(index);
    else if (token.type === tt._import) return this.importStatement(index);
    else if (token.type === tt._export) return this.exportStatement(index);
    return index + 1;
  }

  // ---- Modifiers ----

  modifier(index) {
    const token = this.tokens[index];
    if (this.open[this.open.length - 1] === tt.parenL) refuse('property', this.source, token);
    const last = this.memberEnd(index);
    if (this.isInClass() && last !== undefined) return this.member(index, last);
    this.blankTokens(index, index, this.markBefore(index, index + 1));
    return index + 1;
  }
  // The last token of a field that is declared or abstract; undefined where only the word goes.
  memberEnd(index) {
    let at = index;
    let isGone = false;
    for (; modifiers.includes(this.tokens[at].type) || this.is(at, tt._static); at += 1) {
      if (this.is(at, tt._declare, tt._abstract)) isGone = true;
    }
    if (!isGone || this.tokens[at].isType) return undefined;
    if (this.is(at, tt.bracketL)) {
      for (let depth = 0; ; at += 1) {
        if (this.is(at, tt.bracketL)) depth += 1;
        if (this.is(at, tt.bracketR) && (depth -= 1) === 0) break;
      }
    }
    while (this.tokens[at + 1].isType) at += 1;
    return this.is(at + 1, tt.semi) ? at + 1 : at;
  }
  member(index, last) {
    let first = index;
    while (this.is(first - 1, tt._static)) first -= 1;
    this.blankTokens(first, last, this.markBefore(first, last + 1));
    return last + 1;
  }
  // ';' where the code before the blank would go on behind it.
  markBefore(first, next) {
    if (first === 0 || this.is(first - 1, tt.semi, tt.braceL)) return '';
    return goesOn.test(this.text[this.tokens[next].start] ?? '') ? ';' : '';
  }

  // ---- Types ----

  types(first) {
    let end = first + 1;
    while (this.tokens[end].isType) end += 1;
    this.refuseInside(first, end);
    if (this.arrow(first, end)) return end;
    if (this.wordBefore(first, end)) return end + 1;
    const from = this.leading(first);
    this.blankTokens(from, end - 1, this.markOf(first, end));
    // The comma behind a specifier `type Name` of an import or export.
    if (this.word(first) === 'type' && this.is(end, tt.comma) && this.is(first - 1, tt.comma, tt.braceL)) {
      this.blankTokens(end, end);
      return end + 1;
    }
    return end;
  }
  // Words of a declaration without a body, which the parser leaves outside of the type.
  leading(first) {
    let from = first;
    const words = this.isInClass() ? ['static', 'async', 'get', 'set'] : ['export', 'default', 'async'];
    if (this.startsStatement(first)) while (from > 0 && !this.tokens[from - 1].isType && words.includes(this.word(from - 1)) && !this.is(from - 1, tt.string)) from -= 1;
    return from;
  }
  startsStatement(first) {
    const word = this.word(first);
    return this.isInClass() ? !/^[:?!<]/.test(word) && word !== 'extends' && word !== 'implements' : statementWords.includes(word);
  }
  markOf(first, end) {
    const next = this.text[this.tokens[end].start] ?? '';
    if (this.startsStatement(first)) return this.markBefore(first, end);
    // A field that is named as a word of methods.
    if (this.isInClass() && /^(?:get|set|static|accessor)$/.test(this.word(first - 1)) && !this.is(end, tt.eq, tt.semi, tt.braceR, tt.parenL)) return ';';
    if (!/^(?:as|satisfies|:|\?|!)$/.test(this.word(first)) || !this.hasLineBreak(end - 1, end)) return '';
    return /[([`]/.test(next) ? ';' : '';
  }
  refuseInside(first, end) {
    if (assertions.includes(this.tokens[first].start)) refuse('assertion', this.source, this.tokens[first]);
    let depth = 0;
    for (let at = first; at < end; at += 1) {
      if (opening.includes(this.tokens[at].type)) depth += 1;
      if (closing.includes(this.tokens[at].type)) depth -= 1;
      if (depth > 0 || !/^(?:namespace|module)$/.test(this.word(at)) || this.word(at - 1) === 'declare') continue;
      const isNamed = this.is(at + 1, tt.name, tt.string) && this.tokens[at + 1].isType;
      if (isNamed && !this.hasLineBreak(at, at + 1) && this.is(at + 2, tt.braceL, tt.dot)) this.refuseNamespace(at);
    }
  }
  // One with types alone goes as a whole.
  refuseNamespace(index) {
    let first = index;
    while (!this.is(first, tt.braceL, tt.eof)) first += 1;
    let last = first;
    for (let depth = 0; ; last += 1) {
      if (opening.includes(this.tokens[last].type)) depth += 1;
      if (closing.includes(this.tokens[last].type) && (depth -= 1) === 0) break;
    }
    let rest = '';
    try { rest = blanked({ text: this.text.slice(this.tokens[first].end, this.tokens[last].start), file: this.source.file }); } catch { rest = 'code'; }
    if (/[^\s;]/.test(rest.replace(/\/\*[^]*?\*\/|\/\/.*/g, ''))) refuse('namespace', this.source, this.tokens[index]);
  }
  // `(a)\n: T\n=>`: no line may end before the arrow, so the parenthesis moves to it.
  arrow(first, end) {
    if (!this.is(end, tt.arrow) || !this.is(first - 1, tt.parenR)) return false;
    const between = this.text.slice(this.tokens[first - 1].end, this.tokens[end].start);
    if (!/[\n\r]/.test(between)) return false;
    const last = this.tokens[end - 1].end;
    this.blank(this.tokens[first - 1].start, last - 1);
    this.blank(last - 1, last, ')');
    return true;
  }
  // `async <T>\n(a) =>`, `return <T>\n(a) =>`: the parenthesis moves to the line of the word.
  wordBefore(first, end) {
    if (!/^(?:async|return|throw|yield)$/.test(this.word(first - 1)) || this.word(first) !== '<' || !this.is(end, tt.parenL)) return false;
    if (!/[\n\r]/.test(this.text.slice(this.tokens[first].start, this.tokens[end].start))) return false;
    this.blankTokens(first, end, '(');
    this.open.push(tt.parenL);
    return true;
  }

  // ---- Imports and exports ----

  // `import type ...` goes as a whole; `import type from 'it'` is a name.
  importStatement(index) {
    const isName = this.is(index + 1, tt.name);
    if (isName && this.word(index + 1) === 'type') {
      const second = this.word(index + 2);
      const isAll = this.is(index + 2, tt.braceL, tt.star) || (this.is(index + 2, tt.name) && (second !== 'from' || this.word(index + 3) === 'from'));
      if (isAll) return this.wholeStatement(index);
    }
    if (isName && this.is(index + 2, tt.eq)) refuse('importEquals', this.source, this.tokens[index]);
    return index + 1;
  }
  exportStatement(index) {
    if (this.is(index + 1, tt.eq)) refuse('exportEquals', this.source, this.tokens[index]);
    if (this.is(index + 1, tt._import)) refuse('importEquals', this.source, this.tokens[index]);
    if (this.word(index + 1) === 'type' && this.is(index + 2, tt.braceL, tt.star)) return this.wholeStatement(index);
    return index + 1;
  }
  // To its module's name, or the end of its braces where it has none; with attributes and semicolon.
  wholeStatement(index) {
    let at = index;
    while (!this.is(at, tt.string, tt.eof, tt.semi, tt.eq)) {
      if (this.is(at, tt.braceR) && this.word(at + 1) !== 'from') break;
      at += 1;
    }
    if (this.is(at, tt.eq)) while (!this.is(at, tt.semi, tt.eof, tt.parenR) && !this.hasLineBreak(at, at + 1)) at += 1;
    if (this.is(at + 1, tt._with) || (this.word(at + 1) === 'assert' && !this.hasLineBreak(at, at + 1))) while (!this.is(at, tt.braceR, tt.eof)) at += 1;
    if (this.is(at + 1, tt.semi)) at += 1;
    this.blankTokens(index, at, this.markBefore(index, at + 1));
    return at + 1;
  }

  // ---- The text ----

  assembled() {
    let made = '';
    let at = 0;
    for (let i = 0; i < this.pieces.length; i += 1) {
      const [begin, end, mark] = this.pieces[i];
      made += this.text.slice(at, begin) + mark + this.text.slice(begin + mark.length, end).replace(/[^\n\r\u2028\u2029]/g, ' ');
      at = end;
    }
    return made + this.text.slice(at);
  }
}

function blanked(source) {
  const outer = assertions;
  assertions = [];
  try {
    return new Blanker(source, parse(source.text, false, true, false).tokens).run();
  } catch (error) {
    if (error.pos === undefined) throw error;
    throw syntaxError('ERR_INVALID_TYPESCRIPT_SYNTAX', error.message.replace(/ \(\d+:\d+\)$/, ''), source, error.pos);
  } finally {
    assertions = outer;
  }
}
// The JavaScript of a TypeScript file: the same lines and columns.
shelf.removeTypes = (text, file) => blanked({ text, file });
