// SPDX-License-Identifier: Apache-2.0
let n = 0;
process.on('beforeExit', (code) => { n += 1; console.log('beforeExit', n, code); if (n === 1) setTimeout(() => console.log('timer'), 1); if (n === 2) setImmediate(() => console.log('immediate')); if (n === 3) Promise.resolve().then(() => console.log('micro does not re-arm')); });
process.on('exit', () => console.log('exit', n));
