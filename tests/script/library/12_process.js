// SPDX-License-Identifier: Apache-2.0
// process: the functions beside its events.
'use strict';
const attempt = (name, body) => {
  try { console.log(name, body()); } catch (error) { console.log(name, error.name, error.code, error.message); }
};
const types = {};
for (const name of ['getuid', 'geteuid', 'getgid', 'getegid', 'availableMemory', 'constrainedMemory']) types[name] = typeof process[name]();
console.log(types, process.getuid() === process.geteuid(), Array.isArray(process.getgroups()), process.ppid > 0);
console.log(Object.keys(process.features).sort().join(), process.release.name, process.release.lts);

attempt('umask', () => { const old = process.umask('0664'); return [process.umask(old), process.umask() === old]; });
for (const mask of [{}, '123x', 'abc', '999', -1, 1.5]) attempt('umask', () => process.umask(mask));

const used = process.cpuUsage();
const more = process.cpuUsage(used);
console.log(Object.keys(used), used.user >= 0 && used.system >= 0 && more.user >= 0 && more.system >= 0);
for (const value of [1, {}, { user: 'a' }, { user: null, system: 'c' }, { user: 3, system: 'b' }, { user: -1, system: 2 }, { user: 3, system: Infinity }]) {
  attempt('cpuUsage', () => process.cpuUsage(value));
}

for (const property of [{ value: 'a' }, { get() { return 'b'; } }, { writable: false }, { value: 1, configurable: true, writable: true, enumerable: true }]) {
  attempt('env', () => { Object.defineProperty(process.env, 'GYRE_TEST', property); return process.env.GYRE_TEST; });
}
attempt('env', () => delete process.env.GYRE_TEST && 'GYRE_TEST' in process.env);

const own = process._kill;
process._kill = (pid, signal) => { console.log('kill', pid, signal); return 0; };
attempt('kill', () => process.kill(0, 'SIGHUP'));
attempt('kill', () => process.kill(0, undefined));
attempt('kill', () => process.kill(-7, 0));
process._kill = () => -1;
attempt('kill', () => process.kill(5));
process._kill = own;
attempt('kill', () => process.kill('x'));
attempt('kill', () => process.kill(0, 'SIGNONE'));
attempt('kill', () => process.kill(2 ** 30, 0));

attempt('builtin', () => process.getBuiltinModule('path') === require('node:path'));
attempt('builtin', () => process.getBuiltinModule('node:util') === require('util'));
attempt('builtin', () => process.getBuiltinModule('none'));
attempt('builtin', () => process.getBuiltinModule(1));
attempt('source maps', () => process.setSourceMapsEnabled('x'));
attempt('source maps', () => process.setSourceMapsEnabled(true));

process.on('warning', (warning) => console.log(warning.name, warning.code, warning.message));
attempt('assert', () => process.assert(1, 'error'));
attempt('assert', () => process.assert(undefined, 'a message'));
attempt('assert', () => process.assert(false));

const leave = process.reallyExit;
process.reallyExit = (code) => { console.log('reallyExit', code); leave.call(process, code + 1); };
process.on('exit', (code) => console.log('exit', code));
setImmediate(() => process.exit(3));
