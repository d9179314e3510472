// SPDX-License-Identifier: Apache-2.0
// fs.watch and fs.promises.watch.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'gyre-watch-'));
const pause = () => new Promise((resolve) => { setTimeout(resolve, 100); });
try {
  const seen = new Set();
  const watcher = fs.watch(root, (type, name) => seen.add(`${type} ${name}`));
  await pause();
  fs.writeFileSync(path.join(root, 'a'), 'x');
  await pause();
  fs.renameSync(path.join(root, 'a'), path.join(root, 'b'));
  await pause();
  console.log([...seen].sort());
  watcher.on('close', () => console.log('closed'));
  watcher.close();
  fs.writeFileSync(path.join(root, 'late'), '');
  await pause();
  console.log(seen.has('rename late'));
  setTimeout(() => fs.writeFileSync(path.join(root, 'b'), 'more'), 100);
  for await (const { eventType, filename } of fs.promises.watch(root)) {
    console.log(eventType, filename);
    break;
  }
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  try { for await (const change of fs.promises.watch(root, { signal: stop.signal })) console.log(change); } catch (error) { console.log(error.name); }
} finally {
  fs.rmSync(root, { recursive: true });
}
