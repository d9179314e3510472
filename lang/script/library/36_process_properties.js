// SPDX-License-Identifier: Apache-2.0
// The other properties of process.
'use strict';
const { base, process: self } = shelf;
const { natives, engine, config, coded, argumentType } = base;

const started = natives.now();
function hrtime(since) {
  const now = natives.now();
  let seconds = Math.floor(now / 1000);
  let nanoseconds = Math.round((now - seconds * 1000) * 1e6);
  if (since !== undefined) {
    if (!Array.isArray(since)) throw argumentType('time', 'Array', since);
    if (since.length !== 2) throw base.outOfRange('time', '2', since.length);
    seconds -= since[0];
    nanoseconds -= since[1];
    if (nanoseconds < 0) { seconds -= 1; nanoseconds += 1e9; }
  }
  return [seconds, nanoseconds];
}
hrtime.bigint = () => BigInt(Math.round(natives.now() * 1e6));

// Of the kernel's files about this process and the machine: a number behind a name; 0 without one.
function fileNumber(file, name, place = 1) {
  const line = (natives.readFile(file) ?? '').split('\n').find((one) => one.startsWith(`${name}:`));
  return Number(line?.split(/\s+/)[place] ?? 0);
}
shelf.machineMemory = (name) => fileNumber('/proc/meminfo', name) * 1024;
const status = (name, place) => fileNumber('/proc/self/status', name, place);

// Microseconds of processor time, which the kernel counts in steps of 10 ms.
function cpuUsage(since) {
  const fields = (natives.readFile('/proc/self/stat') ?? '').replace(/^.*\) /, '').split(' ');
  const used = { user: Number(fields[11] ?? 0) * 10000, system: Number(fields[12] ?? 0) * 10000 };
  if (!since) return used;
  if (typeof since !== 'object' || Array.isArray(since)) throw argumentType('prevValue', 'object', since);
  for (const name of ['user', 'system']) {
    const before = since[name];
    base.checks.isNumber(before, `prevValue.${name}`);
    if (!(before >= 0 && before <= Number.MAX_SAFE_INTEGER)) throw base.argumentValue(`prevValue.${name}`, before, 'is invalid', RangeError);
  }
  return { user: used.user - since.user, system: used.system - since.system };
}

// The mask is the script's own: it makes no files.
let mask;
function umask(given) {
  mask ??= parseInt((natives.readFile('/proc/self/status') ?? '').match(/^Umask:\s*(\d+)/m)?.[1] ?? '022', 8);
  const before = mask;
  if (given === undefined) return before;
  if (typeof given === 'string') {
    if (!/^[0-7]+$/.test(given)) throw base.argumentValue('mask', given, 'must be a 32-bit unsigned integer or an octal string');
    mask = parseInt(given, 8) & 0o777;
    return before;
  }
  base.checks.isNumber(given, 'mask');
  if (!Number.isInteger(given)) throw base.outOfRange('mask', 'an integer', given);
  if (given < 0 || given > 2 ** 32 - 1) throw base.outOfRange('mask', '>= 0 && <= 4294967295', given);
  mask = given & 0o777;
  return before;
}

let hasWarnedAssert = false;
function assert(value, message) {
  if (!hasWarnedAssert) self.emitWarning('process.assert() is deprecated. Please use the `assert` module instead.', 'DeprecationWarning', 'DEP0100', assert);
  hasWarnedAssert = true;
  if (!value) throw coded(Error, 'ERR_ASSERTION', message || 'assertion error');
}

function memoryUsage() {
  const [rss, heapTotal, heapUsed, external] = base.JSON.parse(natives.memory());
  return { rss, heapTotal, heapUsed, external, arrayBuffers: 0 };
}
memoryUsage.rss = () => memoryUsage().rss;

const versions = { node: '20.20.2', gyre: '0.1.0', [engine.name]: engine.version.replace(/^\S+ /, ''), modules: '115' };
// As in Node what is there stays, and more can be added.
for (const name of Object.keys(versions)) Object.defineProperty(versions, name, { writable: false });
Object.assign(self, {
  version: 'v20.20.2', versions, arch: 'x64', platform: 'linux', release: { name: 'node', lts: 'Iron' },
  argv: [config.program, ...config.argv], argv0: 'gyre', execArgv: [], execPath: config.program, pid: config.pid,
  title: 'gyre', env: Object.assign(Object.create(null), config.env), features: { inspector: false, debug: false, uv: false, ipv6: true, tls_alpn: false, tls_sni: false, tls_ocsp: false, tls: false, cached_builtins: true, require_module: true }, config: { variables: {} },
  nextTick: shelf.nextTick, hrtime, memoryUsage, cpuUsage, umask, assert,
  cwd: () => natives.directory(),
  chdir(path) {
    base.checks.isString(path, 'directory');
    base.permit('fs', shelf.builtins.path.resolve(path));
    if (!natives.changeDirectory(path)) {
      const error = new Error(`ENOENT: no such file or directory, chdir '${natives.directory()}' -> '${path}'`);
      throw Object.assign(error, { errno: -2, code: 'ENOENT', syscall: 'chdir', path: natives.directory(), dest: path });
    }
  },
  uptime: () => (natives.now() - started) / 1000,
  resourceUsage: () => ({ maxRSS: Math.round(memoryUsage().rss / 1024) }),
  availableMemory: () => shelf.machineMemory('MemAvailable'), constrainedMemory: () => config.memoryLimit ?? 0,
  getuid: () => status('Uid', 1), geteuid: () => status('Uid', 2), getgid: () => status('Gid', 1), getegid: () => status('Gid', 2),
  getgroups: () => (natives.readFile('/proc/self/status') ?? '').match(/^Groups:(.*)$/m)?.[1].trim().split(' ').filter(Boolean).map(Number) ?? [],
  binding(name) { throw coded(Error, 'ERR_INVALID_MODULE', `No such module: ${name}`); },
  setSourceMapsEnabled(value) { base.checks.isBoolean(value, 'val'); },
  getActiveResourcesInfo: () => shelf.activeResources(),
});
env(self);
// In a sandbox a variable that is not permitted is an error, not undefined. What JavaScript itself asks
// every object for (then, toJSON, constructor) is no variable.
const isVariable = (key) => base.isVariableName(key) && key !== 'then' && key !== 'constructor' && key !== 'inspect' && key !== 'length';
// As in Node, what is set in process.env becomes a string.
function env(owner) {
  owner.env = new Proxy(owner.env, {
    get(target, key) {
      if (base.config.sandbox && typeof key === 'string' && !base.hasOwn(target, key) && isVariable(key)) base.permit('env', key);
      return target[key];
    },
    set(target, key, value) {
      if (typeof key === 'symbol' || typeof value === 'symbol') throw new TypeError('Cannot convert a Symbol value to a string');
      target[key] = `${value}`;
      return true;
    },
    defineProperty(target, key, property) {
      const fail = (text) => { throw coded(TypeError, 'ERR_INVALID_OBJECT_DEFINE_PROPERTY', `'process.env' ${text}`); };
      if ('get' in property || 'set' in property) fail('does not accept an accessor(getter/setter) descriptor');
      const isPlain = property.configurable && property.writable && property.enumerable;
      if (!isPlain) fail('only accepts a configurable, writable, and enumerable data descriptor');
      return base.defineProperty(target, key, { ...property, value: `${property.value}` });
    },
  });
}
// NODE_OPTIONS has no effect here, and so none of its flags is allowed.
class NodeEnvironmentFlagsSet extends base.Set {
  add() { return this; }
  delete() { return false; }
  clear() {}
}
self.allowedNodeEnvironmentFlags = Object.freeze(new NodeEnvironmentFlagsSet());
Object.defineProperty(self, 'ppid', { configurable: true, enumerable: true, get: () => status('PPid') });
Object.defineProperty(self, Symbol.toStringTag, { value: 'process', configurable: true });
