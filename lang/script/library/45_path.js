// SPDX-License-Identifier: Apache-2.0
// node:path, of POSIX.
'use strict';
const { base } = shelf;
const check = (value, name = 'path') => base.checks.isString(value, name);

// Resolves . and .. in a list of names.
function tidy(names, isAbsolute) {
  const made = [];
  for (const name of names) {
    if (name === '' || name === '.') continue;
    if (name !== '..') made.push(name);
    else if (made.length > 0 && made[made.length - 1] !== '..') made.pop();
    else if (!isAbsolute) made.push('..');
  }
  return made.join('/');
}
shelf.formatPath = (separator, parts) => {
  if (parts === null || typeof parts !== 'object') throw base.argumentType('pathObject', 'Object', parts);
  const dir = parts.dir || parts.root;
  const ext = parts.ext ? (parts.ext.startsWith('.') ? parts.ext : `.${parts.ext}`) : '';
  const name = parts.base || `${parts.name ?? ''}${ext}`;
  if (!dir) return name;
  return dir === parts.root ? `${dir}${name}` : `${dir}${separator}${name}`;
};
const posix = {
  sep: '/',
  delimiter: ':',
  resolve(...parts) {
    let made = '';
    for (let i = parts.length - 1; i >= -1 && !made.startsWith('/'); i -= 1) {
      const part = i >= 0 ? parts[i] : base.natives.directory();
      check(part, `paths[${i}]`);
      if (part !== '') made = made === '' ? part : `${part}/${made}`;
    }
    return `/${tidy(made.split('/'), true)}`;
  },
  normalize(given) {
    check(given);
    if (given === '') return '.';
    const isAbsolute = given.startsWith('/');
    let made = tidy(given.split('/'), isAbsolute);
    if (made === '') return isAbsolute ? '/' : given.endsWith('/') ? './' : '.';
    if (given.endsWith('/')) made += '/';
    return isAbsolute ? `/${made}` : made;
  },
  isAbsolute(given) { check(given); return given.startsWith('/'); },
  join(...parts) {
    for (const part of parts) check(part);
    const made = parts.filter((part) => part !== '').join('/');
    return made === '' ? '.' : posix.normalize(made);
  },
  relative(from, to) {
    check(from, 'from');
    check(to, 'to');
    const start = posix.resolve(from).split('/').filter(Boolean);
    const end = posix.resolve(to).split('/').filter(Boolean);
    let same = 0;
    while (same < start.length && same < end.length && start[same] === end[same]) same += 1;
    return [...start.slice(same).map(() => '..'), ...end.slice(same)].join('/');
  },
  toNamespacedPath: (given) => given,
  dirname(given) {
    check(given);
    const bare = given.replace(/\/+$/, '');
    if (bare === '') return given.startsWith('/') ? '/' : '.';
    const at = bare.lastIndexOf('/');
    if (at === -1) return '.';
    return bare.slice(0, at).replace(/\/+$/, '') || (bare.startsWith('//') && at === 1 ? '//' : '/');
  },
  basename(given, suffix) {
    check(given);
    if (suffix !== undefined) check(suffix, 'suffix');
    const bare = given.replace(/\/+$/, '');
    const name = bare.slice(bare.lastIndexOf('/') + 1);
    return suffix && (given === suffix || name !== suffix) && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  },
  extname(given) {
    check(given);
    const name = posix.basename(given);
    const at = name.lastIndexOf('.');
    return at <= 0 || /^\.+$/.test(name.slice(0, at + 1)) && name === '..' ? '' : name.slice(at);
  },
  format: (parts) => shelf.formatPath('/', parts),
  parse(given) {
    check(given);
    const root = given.startsWith('/') ? '/' : '';
    const name = posix.basename(given);
    const ext = posix.extname(given);
    const bare = given.replace(/\/+$/, '');
    const at = bare.lastIndexOf('/');
    const dir = at > 0 ? bare.slice(0, at) : root;
    return { root, dir, base: name, ext, name: ext ? name.slice(0, -ext.length) : name };
  },
};
posix.posix = posix;
posix._makeLong = posix.toNamespacedPath;
shelf.lazily(posix, 'win32', 'path_win32');
shelf.builtins.path = posix;
shelf.builtins['path/posix'] = posix;
