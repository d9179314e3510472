// SPDX-License-Identifier: Apache-2.0
// util.parseArgs: the options of a command line.
'use strict';
const { base } = shelf;
const { coded, hasOwn } = base;

const unknownOption = (name, allowsPositionals) => coded(TypeError, 'ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${name}'${allowsPositionals && name ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- ${base.JSON.stringify(name)}` : ''}`);
const badValue = (text) => coded(TypeError, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE', text);
const checkList = (value, name) => { if (!Array.isArray(value)) throw base.argumentType(name, 'Array', value); };
const isLoneDash = (word) => typeof word === 'string' && word === '-';
const looksLikeOption = (word) => typeof word === 'string' && word.length > 1 && word[0] === '-';

const checks = {
  string: base.checks.isString,
  boolean: base.checks.isBoolean,
};
function checkDefault(value, name, { type, multiple }) {
  if (multiple !== true) {
    checks[type](value, name);
    return;
  }
  checkList(value, name);
  value.forEach((one, i) => checks[type](one, `${name}[${i}]`));
}
function checkOptions(options) {
  if (options === null || typeof options !== 'object' || Array.isArray(options)) throw base.argumentType('options', 'Object', options);
  for (const name of Object.keys(options)) {
    const option = options[name];
    const place = `options.${name}`;
    if (option === null || typeof option !== 'object' || Array.isArray(option)) throw base.argumentType(place, 'Object', option);
    if (option.type !== 'string' && option.type !== 'boolean') {
      throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The "${place}.type" property must be ('string|boolean'). Received ${base.received(option.type)}`);
    }
    if (hasOwn(option, 'short')) {
      base.checks.isString(option.short, `${place}.short`);
      if (option.short.length !== 1) throw base.argumentValue(`${place}.short`, option.short, 'must be a single character');
    }
    if (hasOwn(option, 'multiple')) base.checks.isBoolean(option.multiple, `${place}.multiple`);
    if (option.default !== undefined) checkDefault(option.default, `${place}.default`, option);
  }
}

// The command line as tokens: options with their values, positional words and the end of options.
function tokensOf(words, options) {
  const typeOf = (name) => (hasOwn(options, name) ? options[name].type : undefined);
  const longOf = (letter) => Object.keys(options).find((name) => options[name].short === letter) ?? letter;
  const tokens = [];
  const left = words.map((word, index) => ({ word, index }));
  while (left.length > 0) {
    const { word, index } = left.shift();
    const next = left[0]?.word;
    if (word === '--') {
      tokens.push({ kind: 'option-terminator', index });
      for (const one of left) tokens.push({ kind: 'positional', index: one.index, value: one.word });
      break;
    }
    if (/^-[^-]$/.test(word)) {
      const name = longOf(word[1]);
      const takes = typeOf(name) === 'string' && next !== undefined && !isInGroupOf(left[0], index);
      tokens.push({ kind: 'option', name, rawName: word, index, value: takes ? next : undefined, inlineValue: takes ? false : undefined });
      if (takes) left.shift();
    } else if (/^-[^-]./.test(word)) {
      // Letters in one word: the first that takes a value takes the rest of the word.
      const letters = [];
      for (let i = 1; i < word.length; i += 1) {
        const name = longOf(word[i]);
        if (typeOf(name) !== 'string' || i === word.length - 1) letters.push(`-${word[i]}`);
        else {
          letters.push({ letter: word[i], rest: word.slice(i + 1) });
          break;
        }
      }
      const first = letters[0];
      if (letters.length === 1 && typeof first === 'object') {
        tokens.push({ kind: 'option', name: longOf(first.letter), rawName: `-${first.letter}`, index, value: first.rest, inlineValue: true });
      } else {
        left.unshift(...letters.map((one) => ({ word: typeof one === 'string' ? one : `-${one.letter}${one.rest}`, index, isInGroup: true })));
      }
    } else if (word.startsWith('--') && word.length > 2) {
      const at = word.indexOf('=', 3);
      if (at === -1) {
        const name = word.slice(2);
        const takes = typeOf(name) === 'string' && next !== undefined;
        tokens.push({ kind: 'option', name, rawName: word, index, value: takes ? next : undefined, inlineValue: takes ? false : undefined });
        if (takes) left.shift();
      } else {
        const name = word.slice(2, at);
        tokens.push({ kind: 'option', name, rawName: `--${name}`, index, value: word.slice(at + 1), inlineValue: true });
      }
    } else tokens.push({ kind: 'positional', index, value: word });
  }
  return tokens;
}
const isInGroupOf = (next, index) => next.isInGroup === true && next.index === index;

function checkToken(token, options, allowsPositionals, allowsNegative) {
  const { name, rawName, value, inlineValue } = token;
  if (!hasOwn(options, name)) {
    if (allowsNegative && name.startsWith('no-') && hasOwn(options, name.slice(3)) && options[name.slice(3)].type === 'boolean') return;
    throw unknownOption(rawName, allowsPositionals);
  }
  const { short, type } = options[name];
  const told = short ? `-${short}, --${name}` : `--${name}`;
  if (type === 'string' && typeof value !== 'string') throw badValue(`Option '${told} <value>' argument missing`);
  if (type === 'boolean' && value != null) throw badValue(`Option '${told}' does not take an argument`);
  if (inlineValue || isLoneDash(value) || !looksLikeOption(value)) return;
  const example = rawName.startsWith('--') ? `'${rawName}=-XYZ'` : `'--${name}=-XYZ' or '${rawName}-XYZ'`;
  throw badValue(`Option '${rawName}' argument is ambiguous.\nDid you forget to specify the option argument for '${rawName}'?\nTo specify an option argument starting with a dash use ${rawName.startsWith('--') ? `'${rawName}=-XYZ'` : example}.`);
}
function store(name, value, options, values, allowsNegative) {
  if (name === '__proto__') return;
  let key = name;
  let kept = value ?? true;
  if (allowsNegative && value === undefined && name.startsWith('no-')) {
    key = name.slice(3);
    kept = false;
  }
  if (!(hasOwn(options, key) && options[key].multiple)) values[key] = kept;
  else if (values[key]) values[key].push(kept);
  else values[key] = [kept];
}

function parseArgs(given = { __proto__: null }) {
  base.checks.isObject(given, 'config');
  const own = (name, fallback) => (hasOwn(given, name) && given[name] !== undefined ? given[name] : fallback);
  const words = own('args', shelf.process.argv.slice(2));
  const isStrict = own('strict', true);
  const allowsPositionals = own('allowPositionals', !isStrict);
  const allowsNegative = own('allowNegative', false);
  const wantsTokens = own('tokens', false);
  const options = own('options', { __proto__: null });
  checkList(words, 'args');
  for (const [name, value] of Object.entries({ strict: isStrict, allowPositionals: allowsPositionals, tokens: wantsTokens, allowNegative: allowsNegative })) base.checks.isBoolean(value, name);
  checkOptions(options);
  const tokens = tokensOf(words.map((word) => `${word}`), options);
  const values = { __proto__: null };
  const positionals = [];
  for (const token of tokens) {
    if (token.kind === 'option') {
      if (isStrict) checkToken(token, options, allowsPositionals, allowsNegative);
      store(token.name, token.value, options, values, allowsNegative);
    } else if (token.kind === 'positional') {
      if (!allowsPositionals) throw coded(TypeError, 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', `Unexpected argument '${token.value}'. This command does not take positional arguments`);
      positionals.push(token.value);
    }
  }
  for (const name of Object.keys(options)) if (options[name].default !== undefined && values[name] === undefined) values[name] = options[name].default;
  return wantsTokens ? { values, positionals, tokens } : { values, positionals };
}
shelf.parseArgs = parseArgs;
