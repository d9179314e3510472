// SPDX-License-Identifier: Apache-2.0
// node:os. What it tells comes from the kernel's files; a System that shows none gives empty answers.
'use strict';
const { base, builtins, signals } = shelf;
const { config, natives } = base;

const fileText = (path) => natives.readFile(path) ?? '';
const bare = (object) => Object.assign(Object.create(null), object);
const errno = bare({ E2BIG: 7, EACCES: 13, EADDRINUSE: 98, EADDRNOTAVAIL: 99, EAFNOSUPPORT: 97, EAGAIN: 11, EALREADY: 114, EBADF: 9, EBADMSG: 74, EBUSY: 16, ECANCELED: 125, ECHILD: 10, ECONNABORTED: 103, ECONNREFUSED: 111, ECONNRESET: 104, EDEADLK: 35, EDESTADDRREQ: 89, EDOM: 33, EDQUOT: 122, EEXIST: 17, EFAULT: 14, EFBIG: 27, EHOSTUNREACH: 113, EIDRM: 43, EILSEQ: 84, EINPROGRESS: 115, EINTR: 4, EINVAL: 22, EIO: 5, EISCONN: 106, EISDIR: 21, ELOOP: 40, EMFILE: 24, EMLINK: 31, EMSGSIZE: 90, EMULTIHOP: 72, ENAMETOOLONG: 36, ENETDOWN: 100, ENETRESET: 102, ENETUNREACH: 101, ENFILE: 23, ENOBUFS: 105, ENODATA: 61, ENODEV: 19, ENOENT: 2, ENOEXEC: 8, ENOLCK: 37, ENOLINK: 67, ENOMEM: 12, ENOMSG: 42, ENOPROTOOPT: 92, ENOSPC: 28, ENOSR: 63, ENOSTR: 60, ENOSYS: 38, ENOTCONN: 107, ENOTDIR: 20, ENOTEMPTY: 39, ENOTSOCK: 88, ENOTSUP: 95, ENOTTY: 25, ENXIO: 6, EOPNOTSUPP: 95, EOVERFLOW: 75, EPERM: 1, EPIPE: 32, EPROTO: 71, EPROTONOSUPPORT: 93, EPROTOTYPE: 91, ERANGE: 34, EROFS: 30, ESPIPE: 29, ESRCH: 3, ESTALE: 116, ETIME: 62, ETIMEDOUT: 110, ETXTBSY: 26, EWOULDBLOCK: 11, EXDEV: 18 });
const priority = bare({ PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20 });
const dlopen = bare({ RTLD_LAZY: 1, RTLD_NOW: 2, RTLD_GLOBAL: 256, RTLD_LOCAL: 0, RTLD_DEEPBIND: 8 });
const constants = bare({ UV_UDP_REUSEADDR: 4, dlopen, errno, signals: bare(signals), priority });

// Processor times in milliseconds, of /proc/stat, which counts in steps of 10 ms.
function cpus() {
  const models = [...fileText('/proc/cpuinfo').matchAll(/^model name\s*:\s*(.*)$/gm)].map((match) => match[1]);
  const speeds = [...fileText('/proc/cpuinfo').matchAll(/^cpu MHz\s*:\s*(.*)$/gm)].map((match) => Math.trunc(Number(match[1])));
  const times = [...fileText('/proc/stat').matchAll(/^cpu\d+ (.*)$/gm)].map((match) => match[1].split(' ').map((one) => Number(one) * 10));
  return Array.from({ length: config.cores }, (_, i) => {
    const [user = 0, nice = 0, sys = 0, idle = 0, , irq = 0] = times[i] ?? [];
    return { model: models[i] ?? 'unknown', speed: speeds[i] ?? 0, times: { user, nice, sys, idle, irq } };
  });
}
function loadavg() {
  const numbers = fileText('/proc/loadavg').split(' ').slice(0, 3).map(Number);
  return numbers.length === 3 ? numbers : [0, 0, 0];
}
function uptime() {
  const seconds = Number.parseFloat(fileText('/proc/uptime'));
  return Number.isNaN(seconds) ? natives.now() / 1000 : seconds;
}
// A sandbox tells only of permitted variables, and throws for others.
const variable = (name) => (config.sandbox ? config.env[name] : shelf.process.env[name]);
function userInfo(options) {
  if (options !== undefined && (options === null || typeof options !== 'object')) base.checks.isObject(options, 'options');
  const encoding = options?.encoding;
  const uid = shelf.process.getuid();
  const line = fileText('/etc/passwd').split('\n').map((one) => one.split(':')).find((fields) => Number(fields[2]) === uid && fields.length > 6);
  const [username = config.env.USER ?? 'root', , , gid = shelf.process.getgid(), , homedir = config.env.HOME ?? '/', shell = config.env.SHELL ?? null] = line ?? [];
  const text = (value) => (encoding === 'buffer' && value !== null ? shelf.Buffer.from(value) : value);
  return bare({ uid, gid: Number(gid), username: text(username), homedir: text(homedir), shell: text(shell) });
}
// Rows of the host, or the loopback where it shows none.
const loopback = 'lo 127.0.0.1 255.0.0.0 00:00:00:00:00:00 1 0\nlo ::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 00:00:00:00:00:00 1 0';
const onesOf = (number) => number.toString(2).split('1').length - 1;
function prefixOf(netmask) {
  const isLong = netmask.includes(':');
  return netmask.split(isLong ? ':' : '.').reduce((sum, part) => sum + (part === '' ? 0 : onesOf(parseInt(part, isLong ? 16 : 10))), 0);
}
function networkInterfaces() {
  const made = {};
  for (const row of (natives.networkInterfaces() || loopback).split('\n')) {
    const [name, address, netmask, mac, internal, scope] = row.split(' ');
    const family = address.includes(':') ? 'IPv6' : 'IPv4';
    const one = { address, netmask, family, mac, internal: internal === '1', cidr: `${address}/${prefixOf(netmask)}` };
    if (family === 'IPv6') one.scopeid = Number(scope);
    (made[name] ??= []).push(one);
  }
  return made;
}
function checkInteger(value, name, least, most) {
  base.checks.isNumber(value, name);
  if (!Number.isInteger(value)) throw base.outOfRange(name, 'an integer', value);
  if (value < least || value > most) throw base.outOfRange(name, `>= ${least} && <= ${most}`, value);
}
const int = [-(2 ** 31), 2 ** 31 - 1];
// The nice value is field 19 of the kernel's file about a process.
function getPriority(pid = 0) {
  checkInteger(pid, 'pid', ...int);
  const text = fileText(`/proc/${pid === 0 ? 'self' : pid}/stat`);
  if (text === '') throw systemError('ESRCH', 'no such process', 'uv_os_getpriority');
  return Number(text.replace(/^.*\) /, '').split(' ')[16]);
}
function setPriority(pid, value) {
  const [target, wanted] = value === undefined ? [0, pid] : [pid, value];
  checkInteger(target, 'pid', ...int);
  checkInteger(wanted, 'priority', -20, 19);
  const failure = natives.setPriority(target, wanted);
  if (failure === 0) return;
  const code = Object.keys(errno).find((name) => errno[name] === failure);
  throw systemError(code, { ESRCH: 'no such process', EACCES: 'permission denied', EPERM: 'operation not permitted' }[code] ?? 'unknown error', 'uv_os_setpriority');
}
function systemError(code, message, syscall) {
  const error = base.coded(Error, 'ERR_SYSTEM_ERROR', `A system error occurred: ${syscall} returned ${code} (${message})`);
  Object.defineProperty(error, 'name', { value: 'SystemError', configurable: true, writable: true });
  error.info = { errno: -errno[code], code, message, syscall };
  error.errno = -errno[code];
  error.syscall = syscall;
  return error;
}

const os = {
  arch: () => 'x64', availableParallelism: () => config.cores, cpus, endianness: () => 'LE',
  freemem: () => shelf.machineMemory('MemAvailable'), getPriority, homedir: () => variable('HOME') ?? userInfo().homedir, hostname: () => config.host,
  loadavg, networkInterfaces, platform: () => 'linux', release: () => config.release, setPriority,
  tmpdir: () => (variable('TMPDIR') || variable('TMP') || variable('TEMP') || '/tmp').replace(/(.)\/$/, '$1'),
  totalmem: () => shelf.machineMemory('MemTotal'), type: () => 'Linux', userInfo, uptime,
  version: () => fileText('/proc/sys/kernel/version').trim(), machine: () => 'x86_64',
};
for (const name of ['availableParallelism', 'arch', 'freemem', 'homedir', 'hostname', 'endianness', 'tmpdir', 'totalmem', 'type', 'release', 'uptime', 'version', 'machine', 'platform']) {
  Object.defineProperty(os[name], Symbol.toPrimitive, { value: () => os[name](), configurable: true });
}
Object.defineProperties(os, {
  constants: { value: constants, enumerable: true }, EOL: { value: '\n', configurable: true, enumerable: true }, devNull: { value: '/dev/null', enumerable: true },
});
builtins.os = os;
