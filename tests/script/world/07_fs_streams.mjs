// SPDX-License-Identifier: Apache-2.0
// The streams of node:fs.
import fs from 'node:fs'; import { pipeline } from 'node:stream/promises'; import os from 'node:os'; import path from 'node:path';
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'gyre-st-'));
try {
const a = path.join(root, 'a'), b = path.join(root, 'b');
const w = fs.createWriteStream(a); w.on('open', (fd) => console.log('open', typeof fd)); for (let i = 0; i < 5; i += 1) w.write('x'.repeat(50000)); await new Promise((r) => w.end('end', r)); console.log(w.bytesWritten, fs.statSync(a).size);
const r = fs.createReadStream(a, { start: 249998, encoding: 'utf8' }); let t = ''; for await (const p of r) t += p; console.log(t, r.bytesRead, r.path === a);
const r2 = fs.createReadStream(a, { start: 10, end: 19 }); let n = 0; r2.on('data', (p) => { n += p.length; console.log(Buffer.isBuffer(p)); }); await new Promise((d) => r2.on('close', d)); console.log(n);
await pipeline(fs.createReadStream(a), fs.createWriteStream(b)); console.log(fs.statSync(b).size, fs.readFileSync(b).equals(fs.readFileSync(a)));
const e = fs.createReadStream(path.join(root, 'none')); e.on('error', (x) => console.log(x.code, x.syscall)); await new Promise((d) => e.on('close', d));
const ap = fs.createWriteStream(b, { flags: 'a' }); ap.end('tail'); await new Promise((d) => ap.on('close', d)); console.log(fs.statSync(b).size);
const left = fs.createReadStream(a); left.destroy(); await new Promise((d) => left.on("close", d)); console.log(left instanceof fs.ReadStream, Buffer.isBuffer(fs.readFileSync(a)), fs.readFileSync(a).toString('utf8', 0, 3));
} finally { fs.rmSync(root, { recursive: true }); }
