// SPDX-License-Identifier: Apache-2.0
// An exit listener sets the status that an uncaught error leaves; exitCode cannot be deleted.
'use strict';
try { delete process.exitCode; } catch (error) { console.log(error.name); }
process.on('exit', (code) => { console.log('exit', code, process.exitCode); process.exitCode = 0; });
process.on('beforeExit', () => { throw new Error('late'); });
