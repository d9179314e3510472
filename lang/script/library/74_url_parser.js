// SPDX-License-Identifier: Apache-2.0
// The parser of URLs for builds without ada: it has no international domain names.
'use strict';
const { base } = shelf;
const ports = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };
const isSpecial = (protocol) => base.hasOwn(ports, protocol);
const encoder = () => new shelf.globals.TextEncoder();
const percent = (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
function encode(text, isReserved) {
  let made = '';
  for (const char of text) {
    const code = char.codePointAt(0);
    if (code < 0x21 || code > 0x7e || isReserved.includes(char)) {
      for (const byte of encoder().encode(char)) made += percent(byte);
    } else made += char;
  }
  return made;
}
const reserved = { fragment: '"<>`', query: '"<>#', specialQuery: '"<>#\'', path: '"<>#?`{}', user: '"<>#?`{}/:;=@[\\]^|' };
function decode(text) {
  const bytes = [];
  for (const char of text.replace(/%[0-9a-fA-F]{2}/g, (hex) => String.fromCharCode(0xe000 + parseInt(hex.slice(1), 16)))) {
    const code = char.codePointAt(0);
    if (code >= 0xe000 && code <= 0xe0ff) bytes.push(code - 0xe000);
    else bytes.push(...encoder().encode(char));
  }
  return new shelf.globals.TextDecoder().decode(Uint8Array.from(bytes));
}

function ipv4(host) {
  const parts = host.replace(/\.$/, '').split('.');
  if (!/^(0[xX][0-9a-fA-F]*|[0-9]+)$/.test(parts[parts.length - 1])) return undefined;
  const numbers = parts.map((part) => (/^0[xX]/.test(part) ? parseInt(part.slice(2) || '0', 16) : /^0[0-7]+$/.test(part) ? parseInt(part, 8) : /^[0-9]+$/.test(part) ? Number(part) : NaN));
  if (parts.length > 4 || numbers.some(Number.isNaN) || numbers.slice(0, -1).some((one) => one > 255) || numbers[numbers.length - 1] >= 256 ** (5 - numbers.length)) return null;
  let value = numbers[numbers.length - 1];
  numbers.slice(0, -1).forEach((one, i) => { value += one * 256 ** (3 - i); });
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
function ipv6(text) {
  let source = text;
  const tail = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(source);
  if (tail) {
    const bytes = tail.slice(2).map(Number);
    if (bytes.some((byte) => byte > 255)) return null;
    source = `${tail[1]}${(bytes[0] * 256 + bytes[1]).toString(16)}:${(bytes[2] * 256 + bytes[3]).toString(16)}`;
  }
  const halves = source.split('::');
  if (halves.length > 2) return null;
  const parts = halves.map((half) => (half === '' ? [] : half.split(':')));
  if (parts.flat().some((part) => !/^[0-9a-fA-F]{1,4}$/.test(part))) return null;
  const count = parts.flat().length;
  if (halves.length === 1 ? count !== 8 : count > 7) return null;
  const all = halves.length === 1 ? parts[0] : [...parts[0], ...Array(8 - count).fill('0'), ...parts[1]];
  const words = all.map((part) => parseInt(part, 16));
  let best = { at: -1, size: 1 };
  for (let i = 0; i < 8; i += 1) {
    let size = 0;
    while (i + size < 8 && words[i + size] === 0) size += 1;
    if (size > best.size) best = { at: i, size };
  }
  const hex = words.map((word) => word.toString(16));
  if (best.at === -1) return `[${hex.join(':')}]`;
  return `[${hex.slice(0, best.at).join(':')}::${hex.slice(best.at + best.size).join(':')}]`;
}
function parseHost(text, protocol) {
  if (text.startsWith('[')) return text.endsWith(']') ? ipv6(text.slice(1, -1)) : null;
  if (!isSpecial(protocol)) return /[\0\t\n\r #/<>?@[\\\]^|]/.test(text) ? null : encode(text, '');
  const host = decode(text).toLowerCase();
  if (host === '' || /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/.test(host)) return null;
  return ipv4(host) === undefined ? host : ipv4(host);
}
function parsePath(text, record) {
  const special = isSpecial(record.protocol);
  const parts = text.split(special ? /[/\\]/ : '/');
  if (parts[0] === '') parts.shift();
  const made = record.path ?? [];
  parts.forEach((part, i) => {
    const isLast = i === parts.length - 1;
    const plain = part.replace(/%2e/gi, '.');
    if (plain === '..') { if (!(record.protocol === 'file:' && made.length === 1 && /^[A-Za-z]:$/.test(made[0]))) made.pop(); if (isLast) made.push(''); } else if (plain === '.') { if (isLast) made.push(''); } else made.push(encode(part, reserved.path));
  });
  record.path = made;
}
function parseAuthority(text, record) {
  const at = text.lastIndexOf('@');
  if (at !== -1) {
    const [user, ...rest] = text.slice(0, at).split(':');
    record.username = encode(user, reserved.user);
    record.password = encode(rest.join(':'), reserved.user);
  }
  const place = text.slice(at + 1);
  const found = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(place);
  if (!found || (at !== -1 && found[1] === '')) return false;
  if (found[1] === '' && isSpecial(record.protocol) && record.protocol !== 'file:') return false;
  record.host = found[1] === '' ? '' : parseHost(found[1], record.protocol);
  if (record.protocol === 'file:' && record.host === 'localhost') record.host = '';
  if (record.host === null || Number(found[2] || 0) > 65535) return false;
  record.port = found[2] ? String(Number(found[2])) : '';
  if (record.port === ports[record.protocol]) record.port = '';
  return true;
}
function parse(input, from) {
  let text = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
  const record = { protocol: '', username: '', password: '', host: null, port: '', path: undefined, opaque: undefined, query: null, fragment: null };
  const hash = text.indexOf('#');
  if (hash !== -1) { record.fragment = encode(text.slice(hash + 1), reserved.fragment); text = text.slice(0, hash); }
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text);
  let rest = text;
  if (scheme && !(from && isSpecial(`${scheme[1].toLowerCase()}:`) && from.protocol === `${scheme[1].toLowerCase()}:` && !/^[/\\]/.test(text.slice(scheme[0].length)))) {
    record.protocol = `${scheme[1].toLowerCase()}:`;
    rest = text.slice(scheme[0].length);
  } else {
    if (scheme) rest = text.slice(scheme[0].length);
    if (!from) return null;
    record.protocol = from.protocol;
    if (from.opaque !== undefined) {
      if (rest !== '') return null;
      return { ...from, fragment: record.fragment };
    }
  }
  const isOwn = Boolean(scheme) && rest === text.slice(scheme ? scheme[0].length : 0) && (!from || record.protocol !== from.protocol || !isSpecial(record.protocol) || /^[/\\]{2}/.test(rest));
  const special = isSpecial(record.protocol);
  const mark = rest.indexOf('?');
  let query = null;
  if (mark !== -1) { query = rest.slice(mark + 1); rest = rest.slice(0, mark); }
  if (query !== null) record.query = encode(query, special ? reserved.specialQuery : reserved.query);
  const slashes = special ? /^[/\\]{2}/ : /^\/\//;
  if (special && record.protocol !== 'file:' && isOwn) rest = `//${rest.replace(/^[/\\]+/, '')}`;
  if (slashes.test(rest)) {
    rest = rest.slice(2);
    const end = rest.search(special ? /[/\\]/ : /\//);
    const authority = end === -1 ? rest : rest.slice(0, end);
    if (!parseAuthority(authority, record)) return null;
    const tail = end === -1 ? '' : rest.slice(end);
    if (tail !== '' || special) parsePath(tail === '' ? '/' : tail, record); else record.path = [];
    return record;
  }
  if (isOwn && !special && !rest.startsWith('/')) { record.opaque = encode(rest, '').replace(/%20/g, ' ').replace(/ +$/, (all) => (record.query === null && record.fragment === null ? '' : all)); return record; }
  if (isOwn && record.protocol === 'file:' && !from) { record.host = ''; parsePath(rest, record); return record; }
  if (isOwn && !(record.protocol === 'file:' && from)) { record.path = []; parsePath(rest, record); return record; }
  Object.assign(record, { username: from.username, password: from.password, host: from.host, port: from.port });
  if ((special ? /^[/\\]/ : /^\//).test(rest)) { parsePath(rest, record); return record; }
  record.path = [...(from.path ?? [])];
  if (rest === '') { if (query === null) record.query = from.query; return record; }
  record.path.pop();
  const before = record.path;
  parsePath(`/${rest}`, record);
  void before;
  return record;
}
const pathOf = (record) => (record.opaque !== undefined ? record.opaque : (record.path ?? []).map((part) => `/${part}`).join(''));
function hrefOf(record) {
  let made = record.protocol;
  if (record.host !== null) {
    made += '//';
    if (record.username || record.password) made += `${record.username}${record.password ? `:${record.password}` : ''}@`;
    made += record.host + (record.port ? `:${record.port}` : '');
  } else if (record.opaque === undefined && (record.path ?? []).length > 1 && record.path[0] === '') made += '/.';
  return `${made}${pathOf(record)}${record.query === null ? '' : `?${record.query}`}${record.fragment === null ? '' : `#${record.fragment}`}`;
}

function partsOf(record) {
  const host = record.host === null ? '' : record.host + (record.port ? `:${record.port}` : '');
  return {
    href: hrefOf(record), origin: ['http:', 'https:', 'ws:', 'wss:', 'ftp:'].includes(record.protocol) ? `${record.protocol}//${host}` : 'null',
    protocol: record.protocol, username: record.username, password: record.password, host, hostname: record.host ?? '', port: record.port,
    pathname: pathOf(record), search: record.query ? `?${record.query}` : '', hash: record.fragment ? `#${record.fragment}` : '',
  };
}
const setters = {
  protocol(record, value) {
    const made = /^([A-Za-z][A-Za-z0-9+.-]*):?/.exec(value);
    if (!made || isSpecial(`${made[1].toLowerCase()}:`) !== isSpecial(record.protocol)) return;
    record.protocol = `${made[1].toLowerCase()}:`;
    if (record.port === ports[record.protocol]) record.port = '';
  },
  username(record, value) { if (record.host) record.username = encode(value, reserved.user); },
  password(record, value) { if (record.host) record.password = encode(value, reserved.user); },
  host(record, value) {
    if (record.opaque !== undefined) return;
    const copy = { ...record };
    if (!parseAuthority(value.split(/[/?#\\]/)[0], copy)) return;
    record.host = copy.host;
    if (value.includes(':')) record.port = copy.port;
  },
  hostname(record, value) {
    if (record.opaque !== undefined) return;
    const made = parseHost(value.split(/[/?#\\:]/)[0], record.protocol);
    if (made) record.host = made;
  },
  port(record, value) {
    const made = /^\d+/.exec(value);
    if (value === '') record.port = '';
    else if (made && Number(made[0]) < 65536 && record.host) record.port = String(Number(made[0])) === ports[record.protocol] ? '' : String(Number(made[0]));
  },
  pathname(record, value) {
    if (record.opaque !== undefined) return;
    record.path = [];
    parsePath(`/${value.replace(/^[/\\]/, '')}`, record);
  },
  search(record, value) {
    const text = value.replace(/^\?/, '');
    record.query = text === '' ? null : encode(text, isSpecial(record.protocol) ? reserved.specialQuery : reserved.query);
  },
  hash(record, value) {
    const text = value.replace(/^#/, '');
    record.fragment = text === '' ? null : encode(text, reserved.fragment);
  },
};
shelf.ownUrls = {
  percent, decode, encoder,
  parse(text, from) {
    const start = from === undefined ? undefined : parse(from);
    const record = start === null ? null : parse(text, start);
    return record === null ? null : partsOf(record);
  },
  update(href, what, value) {
    const record = parse(href);
    setters[what](record, value);
    return partsOf(record);
  },
};
