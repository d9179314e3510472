// SPDX-License-Identifier: Apache-2.0
// node:fs, the Sync calls.
const fs = require('fs');
const path = require('path');
const os = require('os');
const home = process.cwd();
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'gyre-fs-'));
process.chdir(root);
const show = (...values) => console.log(...values);
const attempt = (run) => {
  try { show('fine', run()); } catch (error) { show(error.message.replaceAll(root, 'ROOT'), error.errno, error.code, error.syscall, error.path?.replaceAll?.(root, 'ROOT'), error.dest); }
};
try {
  fs.writeFileSync('a.txt', 'héllo\n');
  fs.appendFileSync('a.txt', 'more\n');
  show(fs.readFileSync('a.txt', 'utf8'), fs.readFileSync('a.txt', { encoding: 'latin1' }).length, [...fs.readFileSync('a.txt')].length);
  show(fs.readFileSync('a.txt', 'hex').slice(0, 8), fs.readFileSync('a.txt', 'base64'));
  fs.writeFileSync('bytes', new Uint8Array([0, 255, 10]));
  show([...fs.readFileSync('bytes')], fs.existsSync('bytes'), fs.existsSync('none'), fs.existsSync());
  const stat = fs.statSync('a.txt');
  show(stat.isFile(), stat.isDirectory(), stat.size, stat.mode.toString(8), stat.mtime instanceof Date, stat.mtimeMs > 1e12, stat.constructor.name);
  const big = fs.statSync('a.txt', { bigint: true });
  show(typeof big.size, big.size, big.isFile(), typeof big.mtimeNs, big.mtimeNs / 1000000n === big.mtimeMs, Object.keys(stat).join(), Object.keys(big).join());
  show(fs.statSync('none', { throwIfNoEntry: false }));
  // Directories.
  fs.mkdirSync('d');
  show(fs.mkdirSync('d/e/f', { recursive: true }).replaceAll(root, 'ROOT'), fs.mkdirSync('d/e/f', { recursive: true }));
  fs.writeFileSync('d/x', 'x');
  fs.writeFileSync('d/e/y', 'y');
  fs.symlinkSync('x', 'd/link');
  show(fs.readdirSync('d'), fs.readdirSync('d', { withFileTypes: true }).map((one) => [one.name, one.isDirectory(), one.isFile(), one.isSymbolicLink(), one.parentPath]));
  show(fs.readdirSync('d', { recursive: true }).sort());
  show(fs.readlinkSync('d/link'), fs.lstatSync('d/link').isSymbolicLink(), fs.statSync('d/link').isFile(), fs.realpathSync('d/../d/link').replaceAll(fs.realpathSync(root), 'ROOT'));
  // Open files.
  const fd = fs.openSync('open.txt', 'w+');
  show(fs.writeSync(fd, 'abcdef'), fs.writeSync(fd, new Uint8Array([103, 104])), fs.writeSync(fd, 'XY', 1), fs.writeSync(fd, new Uint8Array([1, 90, 2]), 1, 1, 4));
  const into = new Uint8Array(10);
  show(fs.readSync(fd, into, 0, 4, 0), String.fromCharCode(...into.subarray(0, 4)), fs.readSync(fd, into), fs.readSync(fd, into, { position: 2, length: 3 }), String.fromCharCode(...into.subarray(0, 3)));
  show(fs.fstatSync(fd).size, fs.ftruncateSync(fd, 3), fs.fstatSync(fd).size, fs.fsyncSync(fd), fs.fdatasyncSync(fd), fs.fchmodSync(fd, 0o600), (fs.fstatSync(fd).mode & 0o777).toString(8));
  show(fs.futimesSync(fd, 1000, 2000.5), fs.fstatSync(fd).mtimeMs, fs.fstatSync(fd).atimeMs);
  const two = [new Uint8Array(2), new Uint8Array(2)];
  show(fs.readvSync(fd, two, 0), two.map((one) => [...one]), fs.writevSync(fd, [new Uint8Array([65]), new Uint8Array([66, 67])], 0), fs.readFileSync('open.txt', 'utf8'));
  fs.closeSync(fd);
  const other = fs.openSync('open.txt', 'r');
  show(fs.readFileSync(other, 'utf8'), fs.readFileSync(other, 'utf8'));
  attempt(() => fs.writeSync(other, 'x'));
  fs.closeSync(other);
  attempt(() => fs.closeSync(other));
  // Names.
  fs.renameSync('open.txt', 'named.txt');
  fs.copyFileSync('named.txt', 'copy.txt');
  fs.linkSync('copy.txt', 'hard.txt');
  show(fs.readFileSync('hard.txt', 'utf8'), fs.statSync('hard.txt').nlink, fs.truncateSync('hard.txt', 1), fs.readFileSync('copy.txt', 'utf8'));
  fs.chmodSync('copy.txt', '640');
  show((fs.statSync('copy.txt').mode & 0o777).toString(8), fs.utimesSync('copy.txt', new Date(5000), '7'), fs.statSync('copy.txt').mtime.toISOString(), fs.statSync('copy.txt').atime.toISOString());
  show(fs.accessSync('copy.txt', fs.constants.R_OK), fs.unlinkSync('copy.txt'), fs.existsSync('copy.txt'));
  fs.cpSync('d', 'd2', { recursive: true });
  show(fs.readdirSync('d2', { recursive: true }).sort(), fs.readFileSync('d2/e/y', 'utf8'));
  fs.cpSync('d', 'd3', { recursive: true, filter: (from) => !from.endsWith('e') });
  show(fs.readdirSync('d3'));
  const dir = fs.opendirSync('d');
  const names = [];
  for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) names.push(entry.name);
  show(names.sort(), dir.path, dir.closeSync());
  // Errors, to the letter.
  attempt(() => fs.readFileSync('none'));
  attempt(() => fs.readFileSync('d'));
  attempt(() => fs.openSync('none/x', 'w'));
  attempt(() => fs.openSync('a.txt', 'wx'));
  attempt(() => fs.writeFileSync('d', 'x'));
  attempt(() => fs.statSync('none'));
  attempt(() => fs.lstatSync('a.txt/x'));
  attempt(() => fs.mkdirSync('d'));
  attempt(() => fs.mkdirSync('none/a'));
  attempt(() => fs.mkdirSync('a.txt/b', { recursive: true }));
  attempt(() => fs.rmdirSync('d'));
  attempt(() => fs.rmdirSync('a.txt'));
  attempt(() => fs.unlinkSync('none'));
  attempt(() => fs.renameSync('none', 'b'));
  attempt(() => fs.copyFileSync('a.txt', 'named.txt', fs.constants.COPYFILE_EXCL));
  attempt(() => fs.copyFileSync('none', 'b'));
  attempt(() => fs.linkSync('none', 'b'));
  attempt(() => fs.symlinkSync('t', 'd/link'));
  attempt(() => fs.readlinkSync('a.txt'));
  attempt(() => fs.readdirSync('none'));
  attempt(() => fs.readdirSync('a.txt'));
  attempt(() => fs.accessSync('none'));
  attempt(() => fs.chmodSync('none', 0o600));
  attempt(() => fs.utimesSync('none', 1, 1));
  attempt(() => fs.truncateSync('none'));
  attempt(() => fs.mkdtempSync('none/x-'));
  attempt(() => fs.rmSync('none'));
  attempt(() => fs.rmSync('none', { force: true }));
  attempt(() => fs.rmSync('d'));
  attempt(() => fs.closeSync(12345));
  attempt(() => fs.realpathSync.native('none'));
  for (const bad of [() => fs.statSync(), () => fs.statSync('a\0b'), () => fs.stat('x'), () => fs.readSync('a'), () => fs.closeSync(-1), () => fs.closeSync(1.5), () => fs.openSync('a', 'zz'), () => fs.writeFileSync('a', 5), () => fs.mkdirSync('q', { mode: '9' }), () => fs.readFileSync('a', { encoding: 'zz' }), () => fs.chmodSync('a', 'x'), () => fs.readFileSync('a', 5), () => fs.writeSync(1, 5), () => fs.accessSync('a', 'x'), () => fs.accessSync('a', 9)]) attempt(bad);
  fs.rmSync('d', { recursive: true });
  show(fs.existsSync('d'), fs.readdirSync('.').sort());
  show(fs.readFileSync(new URL(`file://${root}/a.txt`), 'utf8'), Object.keys(fs.constants).length);
} finally {
  process.chdir(home);
  fs.rmSync(root, { recursive: true });
}
