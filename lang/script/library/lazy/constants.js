// SPDX-License-Identifier: Apache-2.0
// node:constants: those of os in one object, as programs of old times have them.
'use strict';
const { builtins } = shelf;
const { errno, signals, priority } = builtins.os.constants;
builtins.constants = Object.assign({}, errno, priority, signals, builtins.fs?.constants);
