// SPDX-License-Identifier: Apache-2.0
exports.done = false; const b = require('./b.js'); console.log('in a, b.done =', b.done, Object.keys(b)); exports.done = true;
