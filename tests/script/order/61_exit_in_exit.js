// SPDX-License-Identifier: Apache-2.0
process.on('exit', (code) => { console.log('first', code); process.exit(5); });
process.on('exit', () => console.log('second'));
process.exit(2);
