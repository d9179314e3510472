// SPDX-License-Identifier: Apache-2.0
// node:fs/promises and FileHandle, and the order of callbacks.
import * as fsp from 'node:fs/promises';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = await fsp.mkdtemp(path.join(os.tmpdir(), 'gyre-fsp-'));
const at = (name) => path.join(root, name);
const attempt = async (run) => {
  try { console.log('fine', await run()); } catch (error) { console.log(error.name, error.message.replaceAll(root, 'ROOT'), error.code, Object.keys(error).join()); }
};
try {
  await fsp.writeFile(at('a'), 'one\ntwo\n');
  await fsp.appendFile(at('a'), 'three');
  console.log(await fsp.readFile(at('a'), 'utf8'), (await fsp.stat(at('a'))).size);
  await fsp.writeFile(at('pieces'), (function* () { yield 'x'; yield 'yz'; })());
  console.log(await fsp.readFile(at('pieces'), { encoding: 'utf8' }));
  const handle = await fsp.open(at('h'), 'w+');
  console.log(typeof handle.fd, (await handle.write('abcdef')).bytesWritten, (await handle.write(new Uint8Array([90]), 0, 1, 2)).bytesWritten);
  const { bytesRead, buffer } = await handle.read(new Uint8Array(4), 0, 4, 1);
  console.log(bytesRead, String.fromCharCode(...buffer), (await handle.stat()).size);
  await handle.truncate(3);
  await handle.sync();
  await handle.chmod(0o600);
  await handle.utimes(1, 2);
  console.log((await handle.stat()).mtimeMs, ((await handle.stat()).mode & 0o777).toString(8));
  handle.on('close', () => console.log('closed'));
  await handle.close();
  await attempt(() => handle.stat());
  const lines = await fsp.open(at('a'));
  for await (const line of lines.readLines()) console.log('line', line);
  await lines.close();
  console.log(await fsp.mkdir(at('d/e/f'), { recursive: true }) === at('d'), await fsp.readdir(at('d')));
  await fsp.writeFile(at('d/e/g'), '');
  console.log((await fsp.readdir(root, { recursive: true })).sort(), (await fsp.readdir(at('d'), { withFileTypes: true }))[0].isDirectory());
  await fsp.copyFile(at('a'), at('b'));
  await fsp.rename(at('b'), at('c'));
  await fsp.symlink('c', at('l'));
  await fsp.link(at('c'), at('k'));
  console.log(await fsp.readlink(at('l')), (await fsp.lstat(at('l'))).isSymbolicLink(), await fsp.realpath(at('l')) === await fsp.realpath(at('c')), await fsp.access(at('k')));
  await fsp.cp(at('d'), at('d2'), { recursive: true });
  for await (const entry of await fsp.opendir(at('d2'))) console.log(entry.name);
  await fsp.truncate(at('c'), 2);
  await fsp.unlink(at('k'));
  await fsp.rm(at('d'), { recursive: true });
  await fsp.rmdir(at('d2/e/f'));
  await attempt(() => fsp.readFile(at('none')));
  await attempt(() => fsp.readFile(root));
  await attempt(() => fsp.open(at('none/x'), 'w'));
  await attempt(() => fsp.rmdir(at('d2')));
  await attempt(() => fsp.rename(at('none'), at('x')));
  await attempt(() => fsp.rm(at('d2')));
  await attempt(() => fsp.rm(at('none')));
  await attempt(() => fsp.mkdir(at('a')));
  await attempt(() => fsp.stat());
  await attempt(() => fsp.readFile(at('a'), { signal: AbortSignal.abort() }));
  // Callbacks: each in the poll phase, with ticks and microtasks behind it.
  const order = [];
  await new Promise((resolve) => {
    fs.readFile(at('a'), 'utf8', (error, text) => {
      order.push(`read ${error} ${text.length}`);
      process.nextTick(() => order.push('tick'));
      Promise.resolve().then(() => order.push('microtask'));
      setTimeout(() => { order.push('timer'); resolve(); }, 0);
      setImmediate(() => order.push('immediate'));
    });
    order.push('begun');
  });
  console.log(order.join());
  await new Promise((resolve) => { fs.exists(at('a'), (is) => { console.log(is); resolve(); }); });
  await new Promise((resolve) => { fs.open(at('a'), (error, fd) => fs.read(fd, { buffer: new Uint8Array(3) }, (second, count, into) => { console.log(error, second, count, [...into]); fs.close(fd, (third) => { console.log(third); resolve(); }); })); });
  await new Promise((resolve) => { fs.rm(at('a'), (error, ...rest) => { console.log(error, rest.length); resolve(); }); });
  console.log(fs.promises === fsp.default);
} finally {
  await fsp.rm(root, { recursive: true });
}
