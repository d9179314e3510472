// SPDX-License-Identifier: Apache-2.0
const a = require('./a'); delete require.cache[require.resolve('./a')]; const b = require('./a'); console.log(a === b, a.n, b.n);
require.cache[require.resolve('./a')].exports = 'replaced'; console.log(require('./a')); require.cache[require.resolve('./a')] = { exports: 'fake', loaded: true }; console.log(require('./a'));
