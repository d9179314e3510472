// SPDX-License-Identifier: Apache-2.0
// node:child_process: pipes, ends, errors, limits.
import { spawn, exec, execFile } from 'node:child_process';
import { promisify } from 'node:util';
const done = (child) => new Promise((resolve) => child.on('close', (...args) => resolve(args)));
const cat = spawn('cat');
let out = '';
cat.stdout.setEncoding('utf8').on('data', (part) => { out += part; });
cat.on('spawn', () => console.log('spawned', typeof cat.pid));
cat.on('exit', (code, signal) => console.log('exit', code, signal));
cat.stdin.write('hello ');
cat.stdin.end('world');
console.log(await done(cat), out, cat.exitCode, cat.spawnargs);
const large = spawn('sh', ['-c', 'head -c 3000000 /dev/zero; exit 3']);
let size = 0;
for await (const part of large.stdout) size += part.length;
console.log(size, await done(large));
const killed = spawn('sleep', ['60']);
killed.on('spawn', () => console.log(killed.kill(), killed.killed));
console.log(await done(killed));
const missing = spawn('none-such-program', ['x']);
missing.on('error', (error) => console.log(error.message, error.code, error.errno, error.syscall, error.path, error.spawnargs));
await new Promise((resolve) => missing.on('close', (...args) => { console.log('close', args.length); resolve(); }));
await new Promise((resolve) => { execFile('sh', ['-c', 'echo out; echo err >&2'], (error, stdout, stderr) => { console.log(error, [stdout, stderr]); resolve(); }); });
await new Promise((resolve) => { exec('echo $A; exit 5', { env: { A: 'b', PATH: process.env.PATH } }, (error, stdout) => { console.log(error.message, error.code, error.killed, error.signal, error.cmd, [stdout]); resolve(); }); });
const { stdout } = await promisify(exec)('pwd', { cwd: '/' });
console.log([stdout]);
await promisify(execFile)('false').catch((error) => console.log(error.code, error.stdout, error.cmd));
await new Promise((resolve) => { execFile('sleep', ['60'], { timeout: 50 }, (error) => { console.log(error.killed, error.signal, error.code); resolve(); }); });
await new Promise((resolve) => { exec('head -c 5000 /dev/zero', { maxBuffer: 100 }, (error, text) => { console.log(error.code, text.length); resolve(); }); });
const aborter = new AbortController();
const aborted = spawn('sleep', ['60'], { signal: aborter.signal });
aborted.on('error', (error) => console.log(error.name, error.code));
setTimeout(() => aborter.abort(), 50);
console.log(await done(aborted));
for (const bad of [() => spawn(''), () => spawn(5), () => spawn('a\0b'), () => spawn('x', { cwd: 5 }), () => exec(5)]) try { bad(); } catch (error) { console.log(error.code); }
