// SPDX-License-Identifier: Apache-2.0
// url.parse, url.resolve and url.format for objects: the interface of node:url that came before URL.
'use strict';
const { base, builtins } = shelf;
const { coded } = base;

const slashed = ['http', 'https', 'ftp', 'gopher', 'file', 'ws', 'wss'];
const withSlashes = (protocol) => slashed.includes(protocol.replace(/:$/, ''));
const escapes = { '\t': '%09', '\n': '%0A', '\r': '%0D', ' ': '%20', '"': '%22', "'": '%27', '<': '%3C', '>': '%3E', '\\': '%5C', '^': '%5E', '`': '%60', '{': '%7B', '|': '%7C', '}': '%7D' };
const escaped = (text) => text.replace(/[\t\n\r "'<>\\^`{|}]/g, (char) => escapes[char]);
function Url() {
  this.protocol = null; this.slashes = null; this.auth = null; this.host = null; this.port = null; this.hostname = null; this.hash = null;
  this.search = null; this.query = null; this.pathname = null; this.path = null; this.href = null;
}
const unescaped = (text) => { try { return decodeURIComponent(text.replaceAll('+', ' ')); } catch { return text; } };
function queryOf(text) {
  const made = { __proto__: null };
  for (const part of text.split('&').filter(Boolean)) {
    const at = part.indexOf('=');
    const [key, value] = at === -1 ? [unescaped(part), ''] : [unescaped(part.slice(0, at)), unescaped(part.slice(at + 1))];
    if (!(key in made)) made[key] = value;
    else made[key] = [].concat(made[key], value);
  }
  return made;
}
const queryText = (query) => Object.keys(query).flatMap((key) => [].concat(query[key]).map((value) => `${encodeURIComponent(key)}=${encodeURIComponent(['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? value : '')}`)).join('&');

// Behind //: the last @ before the first of / ? # ends the name of the user, and the next character
// that no host has ends the host.
function readHost(url, rest) {
  const before = /[/?#\\]/.exec(rest)?.index ?? rest.length;
  const at = rest.slice(0, before).lastIndexOf('@');
  if (at !== -1) url.auth = decodeURIComponent(rest.slice(0, at));
  const size = /[ "%';<>\\^`{|}#/?]/.exec(rest.slice(at + 1))?.index;
  const end = size === undefined ? rest.length : at + 1 + size;
  let host = rest.slice(at + 1, end);
  const port = /:([0-9]*)$/.exec(host);
  if (port !== null) {
    if (port[1] !== '') [, url.port] = port;
    host = host.slice(0, port.index);
  }
  const isAddress = host.startsWith('[') && host.endsWith(']');
  url.hostname = isAddress ? host.slice(1, -1) : host.toLowerCase();
  if (!isAddress && /[^\x00-\x7f]/.test(url.hostname)) url.hostname = builtins.url.domainToASCII(url.hostname);
  if (/[\0\t\n\r %<>[\]^|]/.test(url.hostname)) throw Object.assign(coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL'), { input: url.given });
  url.host = (isAddress ? `[${url.hostname}]` : url.hostname) + (url.port === null ? '' : `:${url.port}`);
  return rest.slice(end);
}
Url.prototype.parse = function parse(given, wantsQuery, slashesMeanHost) {
  base.checks.isString(given, 'url');
  let rest = given.trim().replace(/^[^?#]*/, (head) => head.replaceAll('\\', '/'));
  const protocol = /^[a-z0-9.+-]+:/i.exec(rest)?.[0].toLowerCase();
  if (protocol !== undefined) {
    this.protocol = protocol;
    rest = rest.slice(protocol.length);
  }
  const hasSlashes = rest.startsWith('//') && protocol !== 'javascript:' && (protocol !== undefined || slashesMeanHost || /^\/\/[^@/]+@[^@/]+/.test(rest));
  if (hasSlashes) {
    this.slashes = true;
    Object.defineProperty(this, 'given', { value: given, configurable: true });
    rest = readHost(this, rest.slice(2));
    delete this.given;
  }
  if (protocol !== 'javascript:') rest = escaped(rest);
  const hash = rest.indexOf('#');
  if (hash !== -1) { this.hash = rest.slice(hash); rest = rest.slice(0, hash); }
  const mark = rest.indexOf('?');
  if (mark !== -1) {
    this.search = rest.slice(mark);
    this.query = rest.slice(mark + 1);
    rest = rest.slice(0, mark);
  } else if (wantsQuery) { this.search = null; this.query = ''; }
  if (wantsQuery) this.query = queryOf(this.query);
  if (rest !== '') this.pathname = rest;
  else if (hasSlashes && withSlashes(protocol ?? '') && this.hostname) this.pathname = '/';
  if (this.pathname !== null || this.search !== null) this.path = (this.pathname ?? '') + (this.search ?? '');
  this.href = this.format();
  return this;
};
Url.prototype.format = function format() {
  const auth = this.auth ? `${encodeURIComponent(this.auth).replace(/%3A/i, ':')}@` : '';
  let protocol = this.protocol || '';
  if (protocol !== '' && !protocol.endsWith(':')) protocol += ':';
  let host = '';
  if (this.host) host = auth + this.host;
  else if (this.hostname) host = `${auth}${this.hostname.includes(':') && !this.hostname.startsWith('[') ? `[${this.hostname}]` : this.hostname}${this.port ? `:${this.port}` : ''}`;
  let search = this.search || '';
  if (search === '' && this.query !== null && typeof this.query === 'object') { const text = queryText(this.query); search = text && `?${text}`; }
  let pathname = this.pathname || '';
  if (this.slashes || (withSlashes(protocol) && protocol !== '' && (host || protocol === 'file:'))) {
    if (this.slashes || host) {
      if (pathname !== '' && !pathname.startsWith('/')) pathname = `/${pathname}`;
      host = `//${host}`;
    } else host = '//';
  }
  const hash = this.hash && !this.hash.startsWith('#') ? `#${this.hash}` : this.hash || '';
  if (search && !search.startsWith('?')) search = `?${search}`;
  return `${protocol}${host}${pathname.replace(/[#?]/g, encodeURIComponent)}${search.replaceAll('#', '%23')}${hash}`;
};
const parse = (given, wantsQuery, slashesMeanHost) => (given instanceof Url ? given : new Url().parse(given, wantsQuery, slashesMeanHost));
// The path of a reference, with . and .. resolved.
function joined(from, to) {
  const names = [];
  const whole = to.startsWith('/') ? to : `${from.replace(/[^/]*$/, '')}${to}`;
  const isAbsolute = whole.startsWith('/');
  const list = whole.split('/').slice(isAbsolute ? 1 : 0);
  list.forEach((name, i) => {
    const isLast = i === list.length - 1;
    if (name === '..') { if (names.length > 0 && names[names.length - 1] !== '..') names.pop(); else if (!isAbsolute) names.push('..'); }
    else if (name !== '.') names.push(name);
    if (isLast && (name === '.' || name === '..')) names.push('');
  });
  return (isAbsolute ? '/' : '') + names.join('/');
}
Url.prototype.resolve = function resolve(to) { return this.resolveObject(parse(to, false, true)).format(); };
Url.prototype.resolveObject = function resolveObject(to) {
  const target = typeof to === 'string' ? parse(to, false, true) : to;
  const made = Object.assign(new Url(), this, { hash: target.hash });
  const done = () => { made.path = (made.pathname ?? '') + (made.search ?? '') || null; made.href = made.format(); return made; };
  if (target.href === '') { made.href = made.format(); return made; }
  if (target.protocol !== null && target.protocol !== this.protocol) return Object.assign(new Url(), target);
  if (target.host !== null) {
    Object.assign(made, { auth: target.auth, host: target.host, hostname: target.hostname, port: target.port, pathname: joined('/', target.pathname ?? ''), search: target.search, query: target.query, slashes: true });
    return done();
  }
  if (target.pathname !== null) Object.assign(made, { pathname: joined(made.pathname ?? (made.host ? '/' : ''), target.pathname), search: target.search, query: target.query });
  else if (target.search !== null) Object.assign(made, { search: target.search, query: target.query });
  return done();
};
shelf.urlLegacy = {
  Url, parse,
  resolve: (from, to) => parse(from, false, true).resolve(to),
  resolveObject: (from, to) => (from ? parse(from, false, true).resolveObject(to) : to),
  format(given) {
    if (typeof given === 'string') return parse(given).format();
    if (given === null || typeof given !== 'object') throw base.argumentType('urlObject', ['Object', 'string'], given);
    return base.apply(Url.prototype.format, given, []);
  },
};
