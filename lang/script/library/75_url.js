// SPDX-License-Identifier: Apache-2.0
// URL and URLSearchParams after the URL Standard, and node:url. ada parses, in the host
// (lang/script/internal/url.cpp); a build without it has the parser beside this file.
'use strict';
const { base, builtins } = shelf;
const { coded, argumentType, natives } = base;
const { percent, decode, encoder } = shelf.ownUrls;
const names = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];
// The host gives the parts as lines.
function partsOf(lines) {
  const list = lines.split('\n');
  const parts = {};
  names.forEach((name, i) => { parts[name] = list[i]; });
  return parts;
}
const urls = natives.urlEngine() !== 'ada' ? shelf.ownUrls : {
  parse(text, from) {
    const lines = from === undefined ? natives.urlParse(text) : natives.urlParse(text, from);
    return lines === undefined ? null : partsOf(lines);
  },
  update: (href, what, value) => partsOf(natives.urlUpdate(href, what, value)),
};
const textOf = (value) => `${value}`.toWellFormed();

function invalid(input, given) {
  const error = new TypeError('Invalid URL');
  error.code = 'ERR_INVALID_URL';
  error.input = input;
  if (given !== undefined) error.base = given;
  return error;
}
const formEncode = (text) => {
  let made = '';
  for (const byte of encoder().encode(text)) {
    const char = String.fromCharCode(byte);
    made += /[A-Za-z0-9*\-._]/.test(char) ? char : char === ' ' ? '+' : percent(byte);
  }
  return made;
};
const missing = (...names) => coded(TypeError, 'ERR_MISSING_ARGS', `The ${names.map((name) => `"${name}"`).join(' and ')} argument${names.length > 1 ? 's' : ''} must be specified`);
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const wrongThis = (name) => coded(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${name}`);
// Entries on one line where they fit, else one a line, with the closing brace behind the last.
function listed(name, entries, options) {
  if (entries.length === 0) return `${name} {}`;
  const length = entries.reduce((sum, text) => sum + text.replace(/\u001b\[\d\d?m/g, '').length + 2, -2);
  if (length > (options?.breakLength ?? 80) || entries.some((text) => text.includes('\n'))) return `${name} {\n  ${entries.join(',\n  ')} }`;
  return `${name} { ${entries.join(', ')} }`;
}
// Whether `this` is one, and whether the arguments are there.
function need(list, args, ...names) {
  if (args.length < names.length) throw missing(...names);
  return list;
}
// The iterators look at the list as it is then.
const iteratorParent = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
let makeIterator;
class SearchParamsIterator {
  #list; #kind; #at = 0;
  static { makeIterator = (list, kind) => new SearchParamsIterator().#begin(list, kind); }
  #begin(list, kind) { this.#list = list; this.#kind = kind; return this; }
  #value(pair) { return this.#kind === 'key' ? pair[0] : this.#kind === 'value' ? pair[1] : [pair[0], pair[1]]; }
  next() {
    if (this === null || typeof this !== 'object' || !(#list in this)) throw wrongThis('URLSearchParamsIterator');
    const list = this.#list();
    if (this.#at >= list.length) return { value: undefined, done: true };
    const pair = list[this.#at];
    this.#at += 1;
    return { value: this.#value(pair), done: false };
  }
  [inspectCustom](depth, options) {
    if (typeof depth === 'number' && depth < 0) return options.stylize('[Object]', 'special');
    const values = this.#list().slice(this.#at).map((pair) => this.#value(pair));
    const isBroken = shelf.inspect(values, options).includes('\n');
    return listed('URLSearchParams Iterator', values.map((value) => shelf.inspect(value, options)), { breakLength: isBroken ? 0 : Infinity });
  }
}
delete SearchParamsIterator.prototype.constructor;
Object.setPrototypeOf(SearchParamsIterator.prototype, iteratorParent);
Object.defineProperty(SearchParamsIterator.prototype, Symbol.toStringTag, { value: 'URLSearchParams Iterator', configurable: true });
Object.defineProperty(SearchParamsIterator.prototype, 'next', { enumerable: true });

class URLSearchParams {
  #list = [];
  #onChange = null;
  constructor(init = undefined) {
    if (init === undefined || init === null) return;
    if (typeof init === 'object' || typeof init === 'function') {
      const method = init[Symbol.iterator];
      if (method === undefined || method === null) this.#readRecord(init);
      else if (typeof method !== 'function') throw coded(TypeError, 'ERR_ARG_NOT_ITERABLE', 'Query pairs must be iterable');
      else this.#readPairs(init);
    } else this.#read(`${init}`.replace(/^\?/, '').toWellFormed());
  }
  #readRecord(record) {
    for (const key of Reflect.ownKeys(record)) {
      if (!Object.prototype.propertyIsEnumerable.call(record, key)) continue;
      const name = `${key}`.toWellFormed();
      const value = `${record[key]}`.toWellFormed();
      const known = this.#list.find((pair) => pair[0] === name);
      if (known === undefined) this.#list.push([name, value]);
      else known[1] = value;
    }
  }
  #readPairs(pairs) {
    const wrong = () => coded(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
    for (const pair of pairs) {
      if (pair === null || (typeof pair !== 'object' && typeof pair !== 'function') || typeof pair[Symbol.iterator] !== 'function') throw wrong();
      const both = [...pair];
      if (both.length !== 2) throw wrong();
      this.#list.push([`${both[0]}`.toWellFormed(), `${both[1]}`.toWellFormed()]);
    }
  }
  #read(text) {
    this.#list = text.split('&').filter(Boolean).map((part) => {
      const at = part.indexOf('=');
      const [key, value] = at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
      return [decode(key.replaceAll('+', ' ')), decode(value.replaceAll('+', ' '))];
    });
  }
  static watch(params, onChange) { params.#onChange = onChange; return (text) => params.#read(text); }
  static #of(value) {
    if (value === null || typeof value !== 'object' || !(#list in value)) throw wrongThis('URLSearchParams');
    return value.#list;
  }
  #changed() { this.#onChange?.(this.toString()); }
  get size() { return URLSearchParams.#of(this).length; }
  append(name, value) {
    need(URLSearchParams.#of(this), arguments, 'name', 'value').push([`${name}`.toWellFormed(), `${value}`.toWellFormed()]);
    this.#changed();
  }
  delete(name, value = undefined) {
    const key = need(URLSearchParams.#of(this), arguments, 'name') && `${name}`.toWellFormed();
    const text = value === undefined ? undefined : `${value}`.toWellFormed();
    this.#list = this.#list.filter(([one, other]) => one !== key || (text !== undefined && other !== text));
    this.#changed();
  }
  get(name) {
    const key = need(URLSearchParams.#of(this), arguments, 'name') && `${name}`.toWellFormed();
    return this.#list.find(([one]) => one === key)?.[1] ?? null;
  }
  getAll(name) {
    const key = need(URLSearchParams.#of(this), arguments, 'name') && `${name}`.toWellFormed();
    return this.#list.filter(([one]) => one === key).map(([, value]) => value);
  }
  has(name, value = undefined) {
    const key = need(URLSearchParams.#of(this), arguments, 'name') && `${name}`.toWellFormed();
    const text = value === undefined ? undefined : `${value}`.toWellFormed();
    return this.#list.some(([one, other]) => one === key && (text === undefined || other === text));
  }
  set(name, value) {
    const key = need(URLSearchParams.#of(this), arguments, 'name', 'value') && `${name}`.toWellFormed();
    const text = `${value}`.toWellFormed();
    const at = this.#list.findIndex(([one]) => one === key);
    if (at === -1) this.#list.push([key, text]);
    else this.#list = this.#list.filter(([one], i) => one !== key || i === at).map((pair, i) => (i === at ? [key, text] : pair));
    this.#changed();
  }
  sort() { URLSearchParams.#of(this).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); this.#changed(); }
  entries() { URLSearchParams.#of(this); return makeIterator(() => this.#list, 'entry'); }
  forEach(callback, self = undefined) {
    URLSearchParams.#of(this);
    base.checks.isFunction(callback, 'callback');
    for (let i = 0; i < this.#list.length; i += 1) base.apply(callback, self, [this.#list[i][1], this.#list[i][0], this]);
  }
  keys() { URLSearchParams.#of(this); return makeIterator(() => this.#list, 'key'); }
  values() { URLSearchParams.#of(this); return makeIterator(() => this.#list, 'value'); }
  toString() { return URLSearchParams.#of(this).map(([key, value]) => `${formEncode(key)}=${formEncode(value)}`).join('&'); }
  [inspectCustom](depth, options) {
    const list = URLSearchParams.#of(this);
    if (typeof depth === 'number' && depth < 0) return options.stylize('[Object]', 'special');
    return listed(this.constructor.name, list.map(([key, value]) => `${shelf.inspect(key, options)} => ${shelf.inspect(value, options)}`), options);
  }
}
Object.defineProperty(URLSearchParams.prototype, Symbol.iterator, { value: URLSearchParams.prototype.entries, configurable: true, writable: true });
const watch = URLSearchParams.watch;
delete URLSearchParams.watch;

class URL {
  #parts; #params; #refresh;
  constructor(input, from = undefined) {
    if (arguments.length === 0) throw missing('url');
    const text = textOf(input);
    const start = from === undefined ? undefined : textOf(from);
    this.#parts = urls.parse(text, start);
    if (this.#parts === null) throw invalid(text, start);
  }
  static canParse(input, from = undefined) {
    if (arguments.length === 0) throw missing('url');
    return urls.parse(textOf(input), from === undefined ? undefined : textOf(from)) !== null;
  }
  static parse(input, from = undefined) {
    if (arguments.length === 0) throw missing('url');
    return URL.canParse(input, from) ? new URL(input, from) : null;
  }
  static createObjectURL() { throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'gyre has no Blob'); }
  static revokeObjectURL() {}
  static #of(value) {
    if (value === null || typeof value !== 'object' || !(#parts in value)) throw new TypeError('Receiver must be an instance of class URL');
    return value.#parts;
  }
  #set(what, value) {
    this.#parts = urls.update(this.#parts.href, what, textOf(value));
    this.#refresh?.(this.#parts.search.slice(1));
  }
  toString() { return this.href; }
  get href() { return URL.#of(this).href; }
  set href(value) {
    const text = textOf(value);
    const parts = urls.parse(text);
    if (parts === null) throw invalid(text);
    this.#parts = parts;
    this.#refresh?.(parts.search.slice(1));
  }
  get origin() { return this.#parts.origin; }
  get protocol() { return this.#parts.protocol; }
  set protocol(value) { this.#set('protocol', value); }
  get username() { return this.#parts.username; }
  set username(value) { this.#set('username', value); }
  get password() { return this.#parts.password; }
  set password(value) { this.#set('password', value); }
  get host() { return this.#parts.host; }
  set host(value) { this.#set('host', value); }
  get hostname() { return this.#parts.hostname; }
  set hostname(value) { this.#set('hostname', value); }
  get port() { return this.#parts.port; }
  set port(value) { this.#set('port', value); }
  get pathname() { return this.#parts.pathname; }
  set pathname(value) { this.#set('pathname', value); }
  get search() { return this.#parts.search; }
  set search(value) { this.#set('search', value); }
  get searchParams() {
    if (this.#params === undefined) {
      this.#params = new URLSearchParams(this.#parts.search);
      this.#refresh = watch(this.#params, (text) => { this.#parts = urls.update(this.#parts.href, 'search', text); });
    }
    return this.#params;
  }
  get hash() { return this.#parts.hash; }
  set hash(value) { this.#set('hash', value); }
  toJSON() { return this.href; }
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
    if (typeof depth === 'number' && depth < 0) return this;
    const made = Object.create({ constructor: URL });
    for (const key of [...names.slice(0, 10), 'searchParams', 'hash']) made[key] = this[key];
    return `${this.constructor.name} ${shelf.inspect(made, options).replace(/^URL /, '')}`;
  }
}
for (const type of [URL, URLSearchParams]) Object.defineProperty(type.prototype, Symbol.toStringTag, { value: type.name, configurable: true });
for (const type of [URL, URLSearchParams]) {
  for (const key of Object.getOwnPropertyNames(type.prototype)) {
    if (key !== 'constructor') Object.defineProperty(type.prototype, key, { enumerable: true });
  }
}
function fileURLToPath(given) {
  const url = typeof given === 'string' ? new URL(given) : given;
  if (!(url instanceof URL)) throw argumentType('path', ['string', 'URL'], given);
  if (url.protocol !== 'file:') throw coded(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
  if (url.hostname !== '') throw coded(TypeError, 'ERR_INVALID_FILE_URL_HOST', `File URL host must be "localhost" or empty on linux`);
  if (/%2f/i.test(url.pathname)) throw coded(TypeError, 'ERR_INVALID_FILE_URL_PATH', 'File URL path must not include encoded / characters');
  return decodeURIComponent(url.pathname);
}
const pathToFileURL = (file) => {
  base.checks.isString(file, 'path');
  const end = file.endsWith('/') && file !== '/' ? '/' : '';
  return new URL(`file://${(builtins.path.resolve(file) + end).replace(/[%\\\n\r\t?#]/g, (char) => percent(char.charCodeAt(0)))}`);
};
Object.assign(shelf.globals, { URL, URLSearchParams });
const legacy = (name) => { shelf.load('url_legacy'); return shelf.urlLegacy[name]; };
builtins.url = {
  get Url() { return legacy('Url'); },
  parse(given, wantsQuery, slashesMeanHost) { return legacy('parse')(given, wantsQuery, slashesMeanHost); },
  resolve(from, to) { return legacy('resolve')(from, to); },
  resolveObject(from, to) { return legacy('resolveObject')(from, to); },
  URL, URLSearchParams, fileURLToPath, pathToFileURL,
  format: (url, options = {}) => {
    if (!(url instanceof URL)) return legacy('format')(url);
    if (options === null || typeof options !== 'object') throw argumentType('options', 'Object', options);
    const copy = new URL(url.href);
    if (options.fragment === false) copy.hash = '';
    if (options.search === false) copy.search = '';
    if (options.auth === false) { copy.username = ''; copy.password = ''; }
    return options.unicode && copy.hostname ? copy.href.replace(copy.hostname, builtins.url.domainToUnicode(copy.hostname)) : copy.href;
  },
  urlToHttpOptions(url) {
    const { protocol, hostname, hash, search, pathname, href, port, username, password } = url;
    const made = { __proto__: null, ...url, protocol, hostname: hostname?.[0] === '[' ? hostname.slice(1, -1) : hostname, hash, search, pathname, path: `${pathname || ''}${search || ''}`, href };
    if (port !== '') made.port = Number(port);
    if (username || password) made.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return made;
  },
  domainToASCII(domain) { if (arguments.length < 1) throw missing('domain'); return natives.urlDomain(`${domain}`, true) ?? `${domain}`.toLowerCase(); },
  domainToUnicode(domain) { if (arguments.length < 1) throw missing('domain'); return natives.urlDomain(`${domain}`, false) ?? `${domain}`; },
};
