// SPDX-License-Identifier: Apache-2.0
// path.win32: paths of Windows, with drive letters and names of shares.
'use strict';
const { base, builtins } = shelf;
const check = (value, name = 'path') => base.checks.isString(value, name);
const isSlash = (char) => char === '/' || char === '\\';

// The device (a drive or a share), whether the path is absolute, and the rest.
function split(path) {
  const share = /^[/\\]{2}([^/\\]+)[/\\]+([^/\\]+)/.exec(path);
  if (share !== null) {
    const tail = path.slice(share[0].length);
    return { device: `\\\\${share[1]}\\${share[2]}`, isAbsolute: true, rest: tail.replace(/^[/\\]+/, ''), isShare: true, root: path.slice(0, share[0].length + (isSlash(tail[0]) ? 1 : 0)) };
  }
  const device = /^[A-Za-z]:/.exec(path)?.[0] ?? '';
  const tail = path.slice(device.length);
  const isAbsolute = isSlash(tail[0]);
  return { device, isAbsolute, rest: isAbsolute ? tail.replace(/^[/\\]+/, '') : tail, isShare: false, root: path.slice(0, device.length + (isAbsolute ? 1 : 0)) };
}
function tidy(text, isAbsolute) {
  const made = [];
  for (const name of text.split(/[/\\]+/)) {
    if (name === '' || name === '.') continue;
    if (name !== '..') made.push(name);
    else if (made.length > 0 && made[made.length - 1] !== '..') made.pop();
    else if (!isAbsolute) made.push('..');
  }
  return made.join('\\');
}
const withoutEnd = (path, root) => {
  let end = path.length;
  while (end > root.length && isSlash(path[end - 1])) end -= 1;
  return path.slice(0, end);
};
const win32 = {
  resolve(...parts) {
    let device = '';
    let tail = '';
    let isAbsolute = false;
    for (let i = parts.length - 1; i >= -1 && !(isAbsolute && device !== ''); i -= 1) {
      const part = i >= 0 ? parts[i] : base.natives.directory();
      check(part, `paths[${i}]`);
      if (part === '') continue;
      const found = split(part);
      if (found.device !== '' && device !== '' && found.device.toLowerCase() !== device.toLowerCase()) continue;
      if (device === '') device = found.device;
      if (!isAbsolute) {
        tail = tail === '' ? found.rest : `${found.rest}\\${tail}`;
        isAbsolute = found.isAbsolute;
      }
    }
    return `${device}${isAbsolute ? '\\' : ''}${tidy(tail, isAbsolute)}` || '.';
  },
  normalize(path) {
    check(path);
    if (path === '') return '.';
    const { device, isAbsolute, rest } = split(path);
    let tail = tidy(rest, isAbsolute);
    if (tail === '' && !isAbsolute) tail = '.';
    if (tail !== '' && isSlash(path[path.length - 1])) tail += '\\';
    return `${device}${isAbsolute ? '\\' : ''}${tail}`;
  },
  isAbsolute(path) { check(path); return isSlash(path[0]) || /^[A-Za-z]:[/\\]/.test(path); },
  join(...parts) {
    for (const part of parts) check(part);
    const used = parts.filter((part) => part !== '');
    if (used.length === 0) return '.';
    let joined = used.join('\\');
    // Two slashes make a share only where the first part begins with them.
    if (!/^[/\\]{2}[^/\\]/.test(used[0])) joined = joined.replace(/^[/\\]{2,}/, '\\');
    return win32.normalize(joined);
  },
  relative(from, to) {
    check(from, 'from');
    check(to, 'to');
    const [start, end] = [win32.resolve(from), win32.resolve(to)];
    if (start.toLowerCase() === end.toLowerCase()) return '';
    const [a, b] = [start, end].map((path) => path.split('\\').filter(Boolean));
    let same = 0;
    while (same < a.length && same < b.length && a[same].toLowerCase() === b[same].toLowerCase()) same += 1;
    if (same === 0) return end;
    return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('\\');
  },
  toNamespacedPath(path) {
    if (typeof path !== 'string' || path === '') return path;
    const full = win32.resolve(path);
    if (/^\\\\[^?.]/.test(full)) return `\\\\?\\UNC\\${full.slice(2)}`;
    return /^[A-Za-z]:\\/.test(full) ? `\\\\?\\${full}` : path;
  },
  dirname(path) {
    check(path);
    if (path === '') return '.';
    const { root } = split(path);
    const bare = withoutEnd(path, root);
    const tail = bare.slice(root.length);
    const at = Math.max(tail.lastIndexOf('/'), tail.lastIndexOf('\\'));
    if (at === -1) return root === '' ? '.' : root;
    return withoutEnd(root + tail.slice(0, at), root);
  },
  basename(path, suffix) {
    check(path);
    if (suffix !== undefined) check(suffix, 'suffix');
    const name = path.replace(/^[A-Za-z]:/, '').replace(/[/\\]+$/, '').split(/[/\\]/).pop();
    return suffix && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  },
  extname(path) { check(path); return builtins.path.extname(win32.basename(path)); },
  format: (parts) => shelf.formatPath('\\', parts),
  parse(path) {
    check(path);
    const { root } = split(path);
    const bare = withoutEnd(path, root);
    const name = win32.basename(bare.slice(root.length));
    const ext = builtins.path.extname(name);
    const at = bare.length - name.length;
    const dir = at > root.length ? bare.slice(0, at - 1) : root;
    return { root, dir, base: name, ext, name: ext ? name.slice(0, -ext.length) : name };
  },
  sep: '\\', delimiter: ';', win32: null, posix: builtins.path.posix,
};
win32.win32 = win32;
win32._makeLong = win32.toNamespacedPath;
builtins.path.win32 = win32;
builtins['path/win32'] = win32;
