// SPDX-License-Identifier: Apache-2.0
// node:dns and dns/promises: addresses of names, over the native of lang/script/http.
'use strict';
const { base, builtins } = shelf;
const { natives, argumentType, argumentValue } = base;

const familyOf = (address) => (address.includes(':') ? 6 : address === '' ? 0 : 4);
// "127.0.0.1": such a name is its own address.
const isAddress = (name) => /^(\d{1,3}\.){3}\d{1,3}$/.test(name) && name.split('.').every((part) => Number(part) < 256) ? 4 : /^[0-9a-f:]*:[0-9a-f:.]*$/i.test(name) ? 6 : 0;
function failure(text, syscall, name) {
  const words = text.slice(text.indexOf(' ') + 1);
  if (/not permitted: --allow net=/.test(words)) return base.denied(words, 'net', name);
  const isMissing = text.startsWith('name ');
  const code = isMissing ? 'ENOTFOUND' : 'EAI_AGAIN';
  const error = new Error(`${syscall} ${code} ${name}`);
  const errno = syscall === 'getaddrinfo' ? isMissing ? -3008 : -3001 : undefined;
  Object.assign(error, { errno, code, syscall, hostname: name });
  error.stack = `Error: ${error.message}`;
  return error;
}
function find(name, family, syscall) {
  const own = isAddress(name);
  if (own !== 0) return Promise.resolve([name]);
  return new Promise((resolve, reject) => {
    natives.nameFind(shelf.expect((number, text) => {
      if (number < 0) { reject(failure(text, syscall, name)); return; }
      resolve(text.split('\0').slice(0, -1));
    }), name, family);
  });
}
function lookupOptions(given) {
  const options = typeof given === 'number' ? { family: given } : given ?? {};
  base.checks.isObject(options, 'options');
  const family = { IPv4: 4, IPv6: 6 }[options.family] ?? options.family ?? 0;
  if (![0, 4, 6].includes(family)) throw argumentValue('options.family', options.family, 'must be one of: 0, 4, 6');
  return { family, all: Boolean(options.all), order: options.order ?? (options.verbatim === false ? 'ipv4first' : 'verbatim') };
}
async function lookup(name, given) {
  if (name && typeof name !== 'string') throw argumentType('hostname', 'string', name);
  const { family, all, order } = lookupOptions(given);
  let found = (await find(name, family, 'getaddrinfo')).map((address) => ({ address, family: familyOf(address) }));
  if (order === 'ipv4first') found = [...found.filter((one) => one.family === 4), ...found.filter((one) => one.family === 6)];
  return all ? found : found[0];
}
const resolveOf = (family) => async (name) => {
  base.checks.isString(name, 'name');
  return find(name, family, family === 6 ? 'queryAaaa' : 'queryA');
};
const promises = { lookup, resolve4: resolveOf(4), resolve6: resolveOf(6), async resolve(name, type = 'A') {
  if (type !== 'A' && type !== 'AAAA') throw argumentValue('rrtype', type, 'is not there: A and AAAA are');
  return resolveOf(type === 'A' ? 4 : 6)(name);
} };
const dns = {
  promises, ADDRCONFIG: 32, ALL: 16, V4MAPPED: 8, NODATA: 'ENODATA', NOTFOUND: 'ENOTFOUND', SERVFAIL: 'ESERVFAIL', TIMEOUT: 'ETIMEOUT',
  lookup(name, options, given) {
    const done = given ?? options;
    base.checks.isFunction(done, 'callback');
    if (name && typeof name !== 'string') throw argumentType('hostname', 'string', name);
    const how = typeof options === 'function' ? undefined : options;
    lookupOptions(how);
    lookup(name, how).then((found) => shelf.nextTick(done, null, ...(Array.isArray(found) ? [found] : [found.address, found.family])), (error) => shelf.nextTick(done, error));
  },
};
for (const name of ['resolve', 'resolve4', 'resolve6']) {
  dns[name] = { [name](...args) {
    const done = args.pop();
    base.checks.isFunction(done, 'callback');
    promises[name](...args).then((found) => shelf.nextTick(done, null, found), (error) => shelf.nextTick(done, error));
  } }[name];
}
Object.defineProperty(dns.lookup, Symbol.for('nodejs.util.promisify.custom'), { value: lookup, configurable: true });
builtins.dns = dns;
builtins['dns/promises'] = promises;
