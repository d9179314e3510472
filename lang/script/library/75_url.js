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
class URLSearchParams {
  #list = [];
  #onChange = null;
  constructor(init = undefined) {
    if (init === undefined || init === null) return;
    if (typeof init === 'object' || typeof init === 'function') {
      if (typeof init[Symbol.iterator] === 'function') {
        for (const pair of init) {
          if (pair === null || typeof pair !== 'object' || typeof pair[Symbol.iterator] !== 'function') throw coded(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
          const both = [...pair];
          if (both.length !== 2) throw coded(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
          this.#list.push([`${both[0]}`, `${both[1]}`]);
        }
      } else for (const key of Reflect.ownKeys(init)) if (typeof key === 'string' && Object.prototype.propertyIsEnumerable.call(init, key)) this.#list.push([key, `${init[key]}`]);
    } else this.#read(`${init}`.replace(/^\?/, ''));
  }
  #read(text) {
    this.#list = text.split('&').filter(Boolean).map((part) => {
      const at = part.indexOf('=');
      const [key, value] = at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
      return [decode(key.replaceAll('+', ' ')), decode(value.replaceAll('+', ' '))];
    });
  }
  static watch(params, onChange) { params.#onChange = onChange; return (text) => params.#read(text); }
  #changed() { this.#onChange?.(this.toString()); }
  get size() { return this.#list.length; }
  append(key, value) { this.#list.push([`${key}`, `${value}`]); this.#changed(); }
  delete(key, value) { this.#list = this.#list.filter(([name, one]) => name !== `${key}` || (value !== undefined && one !== `${value}`)); this.#changed(); }
  get(key) { return this.#list.find(([name]) => name === `${key}`)?.[1] ?? null; }
  getAll(key) { return this.#list.filter(([name]) => name === `${key}`).map(([, value]) => value); }
  has(key, value) { return this.#list.some(([name, one]) => name === `${key}` && (value === undefined || one === `${value}`)); }
  set(key, value) {
    const at = this.#list.findIndex(([name]) => name === `${key}`);
    if (at === -1) this.#list.push([`${key}`, `${value}`]);
    else this.#list = this.#list.filter(([name], i) => name !== `${key}` || i === at).map((pair, i) => (i === at ? [`${key}`, `${value}`] : pair));
    this.#changed();
  }
  sort() { this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); this.#changed(); }
  forEach(callback, self) { base.checks.isFunction(callback, 'callback'); for (const [key, value] of this.#list) base.apply(callback, self, [value, key, this]); }
  *entries() { for (const [key, value] of this.#list) yield [key, value]; }
  *keys() { for (const [key] of this.#list) yield key; }
  *values() { for (const [, value] of this.#list) yield value; }
  [Symbol.iterator]() { return this.entries(); }
  toString() { return this.#list.map(([key, value]) => `${formEncode(key)}=${formEncode(value)}`).join('&'); }
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
    if (this.#list.length === 0) return 'URLSearchParams {}';
    return `URLSearchParams { ${this.#list.map(([key, value]) => `${shelf.inspect(key, options)} => ${shelf.inspect(value, options)}`).join(', ')} }`;
  }
}
const watch = URLSearchParams.watch;
delete URLSearchParams.watch;

const missing = (name) => coded(TypeError, 'ERR_MISSING_ARGS', `The "${name}" argument must be specified`);
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
  #set(what, value) {
    this.#parts = urls.update(this.#parts.href, what, textOf(value));
    this.#refresh?.(this.#parts.search.slice(1));
  }
  get href() { return this.#parts.href; }
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
  toString() { return this.href; }
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
  const end = file.endsWith('/') && file !== '/' ? '/' : '';
  return new URL(`file://${(builtins.path.resolve(file) + end).replace(/[%\\\n\r\t?#]/g, (char) => percent(char.charCodeAt(0)))}`);
};
Object.assign(shelf.globals, { URL, URLSearchParams });
builtins.url = {
  URL, URLSearchParams, fileURLToPath, pathToFileURL,
  format: (url, options = {}) => {
    if (!(url instanceof URL)) return `${url.href ?? url}`;
    const copy = new URL(url.href);
    if (options.fragment === false) copy.hash = '';
    if (options.search === false) copy.search = '';
    if (options.auth === false) { copy.username = ''; copy.password = ''; }
    return copy.href;
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
