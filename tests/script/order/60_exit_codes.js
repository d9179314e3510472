// SPDX-License-Identifier: Apache-2.0
process.on('exit', (code) => { console.log('exit', code, process.exitCode); process.exitCode = 9; });
process.exitCode = 4;
setTimeout(() => console.log('timer'), 1);
