// SPDX-License-Identifier: Apache-2.0
// node:tty. The streams of a terminal are those of the process.
'use strict';
const { base, builtins } = shelf;
const { config, coded } = base;
const isatty = (fd) => Number.isInteger(fd) && fd >= 0 && fd <= 2147483647 && config[`tty${fd}`] === true;
const streamOf = (name) => {
  const made = { [name]: function open(fd) {
    if (!(fd >> 0 === fd && fd >= 0)) throw coded(RangeError, 'ERR_INVALID_FD', `"fd" must be a positive integer: ${fd}`);
    throw coded(Error, 'ERR_TTY_INIT_FAILED', `TTY initialization failed: gyre opens no terminals (${fd}); process.stdin, stdout and stderr are there`);
  } }[name];
  Object.defineProperty(made, 'name', { value: name });
  return made;
};
builtins.tty = { isatty, ReadStream: streamOf('ReadStream'), WriteStream: streamOf('WriteStream') };
