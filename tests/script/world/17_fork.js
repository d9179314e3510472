// SPDX-License-Identifier: Apache-2.0
// node:child_process: fork and its channel.
const { fork, spawn } = require('node:child_process');

const roles = {
  echo() {
    process.on('message', (message) => {
      if (message === 'facts') process.send({ got: [process.connected, typeof process.send, process.env.NODE_CHANNEL_FD ?? 'none', process.argv.slice(2)] });
      else if (message === 'end') process.disconnect();
      else process.send({ got: message });
    });
    process.on('disconnect', () => { process.exitCode = process.connected ? 1 : 9; });
  },
  // The last one before it exits.
  early() {
    for (let i = 0; i < 3; i += 1) process.send(i);
    process.send('x'.repeat(300000), () => process.exit(7));
  },
  silent() { process.stdout.write('to a pipe'); },
  // Nobody listens: the channel does not keep it alive.
  idle() { setTimeout(() => console.log('idle ends'), 10); },
};

async function main() {
  const closed = (child) => new Promise((resolve) => child.on('close', (...args) => resolve(args)));
  const echo = fork(__filename, ['echo', 'a b']);
  for (const bad of [undefined, () => {}, Symbol('x'), 5n]) try { echo.send(bad); } catch (error) { console.log(error.code); }
  console.log(echo.connected, echo.stdin, echo.stdout, echo.stdio.length, echo.spawnargs.length);
  const got = [];
  const sent = ['facts', 1, 'text', null, true, { a: [1, { b: 'é\u2028' }] }, [], 'x'.repeat(200000), 'end'];
  echo.on('message', (message) => {
    got.push(message);
    if (got.length === sent.length - 1) echo.send('end');
  });
  echo.on('disconnect', () => console.log('disconnect', echo.connected));
  for (const message of sent.slice(0, -1)) echo.send(message, (error) => { if (error) console.log(error); });
  console.log(await closed(echo));
  console.log(got.map((one) => JSON.stringify(one).slice(0, 60)));
  echo.send('late', (error) => console.log(error.code, error.message));
  echo.once('error', (error) => console.log(error.code));
  console.log(echo.send('later'));
  await new Promise(setImmediate);

  const early = fork(__filename, ['early']);
  const [numbers, end] = [[], closed(early)];
  early.on('message', (message) => numbers.push(message.length ?? message));
  console.log(await end, numbers);

  const silent = fork(__filename, ['silent'], { silent: true });
  silent.stdout.on('data', (bytes) => console.log('stdout', String(bytes)));
  console.log(await closed(silent));
  console.log(await closed(fork(__filename, ['idle'])));

  const advanced = fork(__filename, ['echo'], { serialization: 'advanced' });
  advanced.on('message', ({ got: value }) => { console.log(value); advanced.send('end'); });
  advanced.send({ date: new Date(0), map: new Map([[1, { two: new Set(['x']) }]]), big: 5n, bytes: new Uint8Array([1, 2]) });
  console.log(await closed(advanced));

  const aborter = new AbortController();
  const aborted = fork(__filename, ['echo'], { signal: aborter.signal, silent: true });
  aborted.on('error', (error) => console.log(error.name));
  aborter.abort();
  console.log(await closed(aborted));
  for (const bad of [() => fork(5), () => fork('a\0'), () => fork('a', 'b'), () => fork('a', { stdio: ['pipe'] }), () => fork('a', { serialization: 'x' }), () => spawn('a', { stdio: ['ipc', 'ipc'] })]) {
    try { bad(); } catch (error) { console.log(error.code, error.message); }
  }
  // Nothing waits for it.
  spawn('sleep', ['60'], { stdio: 'ignore' }).unref();
}
if (process.argv[2] === undefined) main();
else roles[process.argv[2]]();
