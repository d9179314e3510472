// SPDX-License-Identifier: Apache-2.0
// node:child_process: what blocks until the child has ended.
const { spawnSync, execSync, execFileSync, spawn } = require('node:child_process');
const { openSync, readFileSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');

const shown = ({ pid, error, ...rest }) => console.log({ ...rest, hasPid: pid > 0, error: error && [error.message, error.code, error.errno, error.syscall, error.path, error.spawnargs] });
shown(spawnSync('sh', ['-c', 'cat; echo err >&2; exit 4'], { input: 'in', encoding: 'utf8' }));
shown(spawnSync('sh', ['-c', 'kill -TERM $$'], { encoding: 'latin1' }));
shown(spawnSync('none-such-program', ['a']));
shown(spawnSync('sleep', ['60'], { timeout: 50, encoding: 'utf8' }));
shown(spawnSync('sleep', ['60'], { timeout: 50, killSignal: 'SIGKILL', stdio: 'ignore' }));
const much = spawnSync('head', ['-c', '3000000', '/dev/zero']);
console.log(much.error.code, much.status, much.signal, much.stdout.length > 1024 * 1024);
console.log(spawnSync('head', ['-c', '3000000', '/dev/zero'], { maxBuffer: Infinity }).stdout.length);
// More than a pipe holds, both ways at once.
const large = Buffer.alloc(1 << 20, 'x');
console.log(spawnSync('cat', { input: large, maxBuffer: Infinity }).stdout.equals(large));
console.log(execSync('echo $A', { env: { A: 'b' }, encoding: 'utf8' }), execFileSync('pwd', { cwd: '/' }).toString());
for (const call of [() => execSync('echo out; echo err >&2; exit 3', { stdio: 'pipe' }), () => execFileSync('sh', ['-c', 'exit 2'], { encoding: 'utf8' }), () => execFileSync('none-such-program')]) {
  try { call(); } catch (error) { console.log(error.message, error.status, error.signal, error.code, String(error.stdout), String(error.stderr)); }
}
for (const bad of [{ timeout: -1 }, { maxBuffer: 'x' }, { killSignal: 'SIGNOT' }, { stdio: ['ipc'] }, { stdio: 'x' }, { input: 5 }, { argv0: 1 }, { uid: 'x' }, { detached: 'x' }, { shell: 1 }, { cwd: 'a\0' }, { env: { A: '\0' } }]) {
  try { spawnSync('true', bad); console.log('fine', bad); } catch (error) { console.log(error.name, error.code, error.message.split('\n')[0]); }
}

// Descriptors of this process, and streams beyond the third.
const folder = mkdtempSync(`${tmpdir()}/gyre-child-`);
const file = openSync(`${folder}/out`, 'w');
console.log(spawnSync('echo', ['to a file'], { stdio: ['ignore', file, 'ignore'] }).status, readFileSync(`${folder}/out`, 'utf8'));
rmSync(folder, { recursive: true });
const more = spawn('sh', ['-c', 'echo three >&3; cat <&4 >&3'], { stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'] });
console.log(typeof more.pid, more.stdio.map((one) => one !== null));
let third = '';
more.stdio[3].on('data', (bytes) => { third += bytes; });
more.stdio[4].end('four\n');
more.on('close', (code) => {
  console.log('close', code, more.kill(), third);
  spawn('sh', ['-c', 'echo "$0"'], { argv0: 'named', stdio: 'inherit' }).on('exit', (status) => console.log('exit', status));
});
