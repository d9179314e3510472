// SPDX-License-Identifier: Apache-2.0
// node:net, part 1: addresses as texts and bytes; SocketAddress and BlockList; errors of sockets.
'use strict';
const { base, builtins } = shelf;
const { argumentType, argumentValue, outOfRange, coded, checks } = base;

// ---- Addresses ----

function bytesOfIPv4(text) {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes = new Uint8Array(4);
  for (let i = 0; i < 4; i += 1) {
    if (!/^(?:0|[1-9]\d{0,2})$/.test(parts[i]) || Number(parts[i]) > 255) return undefined;
    bytes[i] = Number(parts[i]);
  }
  return bytes;
}
// The groups of one side of `::`; the last two may be an IPv4 address.
function groupsOf(text, out) {
  if (text === '') return true;
  const parts = text.split(':');
  for (let i = 0; i < parts.length; i += 1) {
    if (i === parts.length - 1 && parts[i].includes('.')) {
      const four = bytesOfIPv4(parts[i]);
      if (four === undefined) return false;
      out.push(four[0] * 256 + four[1], four[2] * 256 + four[3]);
    } else {
      if (!/^[\da-f]{1,4}$/i.test(parts[i])) return false;
      out.push(parseInt(parts[i], 16));
    }
  }
  return true;
}
function bytesOfIPv6(given) {
  const [, text, zone] = /^([^%]*)(%[\da-zA-Z.:-]+)?$/.exec(given) ?? [];
  if (text === undefined) return undefined;
  const sides = text.split('::');
  if (sides.length > 2) return undefined;
  const [head, tail] = [[], []];
  if (!groupsOf(sides[0], head) || (sides.length === 2 && !groupsOf(sides[1], tail))) return undefined;
  if (sides.length === 2 && sides[0].includes('.')) return undefined;
  const missing = 8 - head.length - tail.length;
  if (sides.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...new Array(sides.length === 1 ? 0 : missing).fill(0), ...tail];
  const bytes = new Uint8Array(16);
  groups.forEach((group, i) => { bytes[2 * i] = group >> 8; bytes[2 * i + 1] = group & 255; });
  return bytes;
}
// With the same answers for what is no string as Node: `${value}` is looked at.
const isIPv4 = (text) => bytesOfIPv4(`${text}`) !== undefined;
const isIPv6 = (text) => bytesOfIPv6(`${text}`) !== undefined;
const isIP = (text) => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0);
const bytesOf = (address) => bytesOfIPv4(address) ?? bytesOfIPv6(address);
// The text of 16 bytes in the form of RFC 5952.
function textOfIPv6(bytes) {
  if (bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255) return `::ffff:${bytes.subarray(12).join('.')}`;
  const groups = [];
  for (let i = 0; i < 16; i += 2) groups.push((bytes[i] * 256 + bytes[i + 1]).toString(16));
  let best = { at: -1, size: 1 };
  for (let at = 0; at < 8; at += 1) {
    let size = 0;
    while (at + size < 8 && groups[at + size] === '0') size += 1;
    if (size > best.size) best = { at, size };
  }
  if (best.at === -1) return groups.join(':');
  return `${groups.slice(0, best.at).join(':')}::${groups.slice(best.at + best.size).join(':')}`;
}

// ---- SocketAddress ----

function checkPort(port, name = 'Port', allowsZero = true) {
  const isNumber = (typeof port === 'number' || (typeof port === 'string' && port.trim().length > 0)) && +port === (+port >>> 0) && port <= 0xffff && (port !== 0 || allowsZero);
  if (!isNumber) throw coded(RangeError, 'ERR_SOCKET_BAD_PORT', `${name} should be >= 0 and < 65536. Received ${base.received(port)}.`);
  return port | 0;
}
class SocketAddress {
  #parts;
  constructor(options = {}) {
    checks.isObject(options, 'options');
    const { family = 'ipv4', port = 0, flowlabel = 0 } = options;
    const { address = family === 'ipv4' ? '127.0.0.1' : '::' } = options;
    if (typeof family?.toLowerCase !== 'function' || !['ipv4', 'ipv6'].includes(family.toLowerCase())) throw argumentValue('options.family', family);
    checks.isString(address, 'options.address');
    checkPort(port, 'options.port');
    if (typeof flowlabel !== 'number') throw argumentType('options.flowlabel', 'number', flowlabel);
    const small = family.toLowerCase();
    const bytes = small === 'ipv4' ? bytesOfIPv4(address) : bytesOfIPv6(address);
    if (bytes === undefined) throw coded(Error, 'ERR_INVALID_ADDRESS', 'Invalid socket address');
    this.#parts = { address: small === 'ipv4' ? address : textOfIPv6(bytes), family: small, port: port | 0, flowlabel, bytes };
  }
  get address() { return this.#parts.address; }
  get port() { return this.#parts.port; }
  get family() { return this.#parts.family; }
  get flowlabel() { return this.#parts.family === 'ipv6' ? this.#parts.flowlabel : 0; }
  toJSON() { return { address: this.address, port: this.port, family: this.family, flowlabel: this.flowlabel }; }
  [builtins.util.inspect.custom](depth, options) { return depth < 0 ? this : `SocketAddress ${builtins.util.inspect(this.toJSON(), options)}`; }
  static isSocketAddress(value) { return typeof value === 'object' && value !== null && #parts in value; }
  static bytes(value) { return value.#parts.bytes; }
}
const { bytes: bytesOfAddress } = SocketAddress;
delete SocketAddress.bytes;

// ---- BlockList ----

const asAddress = (value, family, name) => {
  if (SocketAddress.isSocketAddress(value)) return value;
  checks.isString(value, name);
  checks.isString(family, 'family');
  return new SocketAddress({ address: value, family });
};
// An IPv4 address that is mapped into IPv6 is the IPv4 address.
const plain = (bytes) => (bytes.length === 16 && textOfIPv6(bytes).startsWith('::ffff:') && bytes[10] === 255 ? bytes.subarray(12) : bytes);
function compare(one, other) {
  for (let i = 0; i < one.length; i += 1) if (one[i] !== other[i]) return one[i] - other[i];
  return 0;
}
const shown = (address) => (address.family === 'ipv4' ? 'IPv4' : 'IPv6');
class BlockList {
  #rules = [];
  #add(text, matches) { this.#rules.unshift({ text, matches }); }
  addAddress(given, family = 'ipv4') {
    const address = asAddress(given, family, 'address');
    const bytes = bytesOfAddress(address);
    this.#add(`Address: ${shown(address)} ${address.address}`, (one) => one.length === bytes.length && compare(one, bytes) === 0);
  }
  addRange(first, last, family = 'ipv4') {
    const [start, end] = [asAddress(first, family, 'start'), asAddress(last, family, 'end')];
    const [low, high] = [bytesOfAddress(start), bytesOfAddress(end)];
    if (low.length !== high.length || compare(low, high) > 0) throw argumentValue('start', start, 'must come before end');
    this.#add(`Range: ${shown(start)} ${start.address}-${end.address}`, (one) => one.length === low.length && compare(one, low) >= 0 && compare(one, high) <= 0);
  }
  addSubnet(given, prefix, family = 'ipv4') {
    const network = asAddress(given, family, 'network');
    const bytes = bytesOfAddress(network);
    const max = bytes.length * 8;
    checks.isNumber(prefix, 'prefix');
    if (!Number.isInteger(prefix)) throw outOfRange('prefix', 'an integer', prefix);
    if (prefix < 0 || prefix > max) throw outOfRange('prefix', `>= 0 && <= ${max}`, prefix);
    const bit = (from, i) => (from[i >> 3] >> (7 - (i & 7))) & 1;
    this.#add(`Subnet: ${shown(network)} ${network.address}/${prefix}`, (one) => {
      if (one.length !== bytes.length) return false;
      for (let i = 0; i < prefix; i += 1) if (bit(one, i) !== bit(bytes, i)) return false;
      return true;
    });
  }
  check(given, family = 'ipv4') {
    let address = given;
    if (!SocketAddress.isSocketAddress(given)) {
      checks.isString(given, 'address');
      checks.isString(family, 'family');
      try { address = new SocketAddress({ address: given, family }); } catch { return false; }
    }
    const bytes = bytesOfAddress(address);
    return this.#rules.some((rule) => rule.matches(bytes) || rule.matches(plain(bytes)));
  }
  get rules() { return this.#rules.map((rule) => rule.text); }
  [builtins.util.inspect.custom](depth, options) { return depth < 0 ? this : `BlockList ${builtins.util.inspect({ rules: this.rules }, options)}`; }
}

// ---- Errors ----

let names;
function nameOf(number) {
  if (names === undefined) {
    shelf.load('system_errors');
    names = new Map(shelf.systemErrors);
  }
  return names.get(number) ?? [`Unknown system error ${number}`, ''];
}
// An error of a system call that ends later has no frames of the program, as in Node.
function bare(error) {
  error.stack = `${error.name}: ${error.message}`;
  return error;
}
function systemError(number, syscall) {
  const [code] = nameOf(number);
  return bare(Object.assign(new Error(`${syscall} ${code}`), { errno: number, code, syscall }));
}
function addressError(number, syscall, address, port, extra) {
  const [code] = nameOf(number);
  let details = '';
  if (port && port > 0) details = ` ${address}:${port}`;
  else if (address) details = ` ${address}`;
  if (extra) details += ` - Local (${extra})`;
  const error = Object.assign(new Error(`${syscall} ${code}${details}`), { errno: number, code, syscall, address });
  if (port) error.port = port;
  return bare(error);
}
// With the words of the error, as `listen` has them.
function wordyError(number, syscall, address, port) {
  const [code, words] = nameOf(number);
  let details = '';
  if (port && port > 0) details = ` ${address}:${port}`;
  else if (address) details = ` ${address}`;
  const error = Object.assign(new Error(`${syscall} ${code}: ${words}${details}`), { code, errno: number, syscall, address });
  if (port) error.port = port;
  return bare(error);
}
shelf.netAddress = { isIP, isIPv4, isIPv6, bytesOf, checkPort, SocketAddress, BlockList, systemError, addressError, wordyError };
