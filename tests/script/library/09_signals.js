// SPDX-License-Identifier: Apache-2.0
// Signal events of process, and process.kill.
const tell = (body) => { try { console.log(body()); } catch (error) { console.log(error.name, error.code, error.message, error.syscall); } };
const seen = [];
process.on('SIGUSR2', (name, number) => { seen.push(name); console.log('got', name, number); });
process.once('SIGHUP', (name) => console.log('once', name));
tell(() => process.kill(process.pid, 'SIGUSR2'));
tell(() => process.kill(process.pid, 1));
tell(() => process.kill(process.pid, 0));
console.log('not yet', seen.length);
process.nextTick(() => console.log('tick', seen.length));
tell(() => process.kill('a'));
tell(() => process.kill(process.pid, 'SIGNOPE'));
tell(() => process.kill(999999, 0));
tell(() => process.on('SIGKILL', () => {}));
tell(() => process.on('SIGSTOP', () => {}));
setTimeout(() => {
  console.log('later', seen);
  process.removeAllListeners('SIGUSR2');
  process.on('exit', (code) => console.log('exit', code));
  process.on('SIGTERM', () => { console.log('SIGTERM'); clearInterval(timer); process.exitCode = 7; });
  const timer = setInterval(() => {}, 1000);
  process.kill(process.pid);
}, 50);
