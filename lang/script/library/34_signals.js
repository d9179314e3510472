// SPDX-License-Identifier: Apache-2.0
// Signals: listeners of process, and process.kill.
'use strict';
const { base, hooks, process: self } = shelf;
const { natives, coded, argumentType, SafeMap } = base;

const signals = { __proto__: null, SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGIOT: 6, SIGBUS: 7, SIGFPE: 8, SIGKILL: 9, SIGUSR1: 10, SIGSEGV: 11, SIGUSR2: 12, SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15, SIGCHLD: 17, SIGSTKFLT: 16, SIGCONT: 18, SIGSTOP: 19, SIGTSTP: 20, SIGTTIN: 21, SIGTTOU: 22, SIGURG: 23, SIGXCPU: 24, SIGXFSZ: 25, SIGVTALRM: 26, SIGPROF: 27, SIGWINCH: 28, SIGIO: 29, SIGPOLL: 29, SIGPWR: 30, SIGSYS: 31 };
shelf.signals = signals;
const watched = new SafeMap();  // a signal's name to its number
const systemError = (number, call) => {
  const name = { 1: 'EPERM', 3: 'ESRCH', 22: 'EINVAL' }[number] ?? `E${number}`;
  return Object.assign(new Error(`${call} ${name}`), { errno: -number, code: name, syscall: call });
};
// A signal has a watch while it has a listener.
self.on('newListener', (type) => {
  const number = typeof type === 'string' ? signals[type] : undefined;
  if (number === undefined || watched.has(type)) return;
  base.permit('signal', `listening to ${type}`);
  const failure = natives.watchSignal(number, true);
  if (failure) throw systemError(failure, 'uv_signal_start');
  watched.set(type, number);
});
self.on('removeListener', (type) => {
  if (!watched.has(type) || self.listenerCount(type) > 0) return;
  natives.watchSignal(watched.get(type), false);
  watched.delete(type);
});
hooks.onSignal = (number) => {
  watched.forEach((own, name) => { if (own === number) self.emit(name, name, number); });
};
function kill(pid, signal) {
  if (pid != (pid | 0)) throw argumentType('pid', 'number', pid);
  let number = signal;
  if (signal !== (signal | 0)) {
    number = signals[signal || 'SIGTERM'];
    if (number === undefined) throw coded(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${signal}`);
  }
  base.permit('signal', 'process.kill');
  const failure = self._kill(Number(pid), number);
  if (failure) throw systemError(-failure, 'kill');
  return true;
}
// A script may replace _kill; it returns the negative number of an error.
Object.assign(self, { kill, _kill: (pid, number) => -(natives.kill(pid, number) || 0) });
