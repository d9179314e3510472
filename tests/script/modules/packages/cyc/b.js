// SPDX-License-Identifier: Apache-2.0
exports.done = false; const a = require('./a.js'); console.log('in b, a.done =', a.done); exports.done = true; try { a.missing; console.log(a.missing) } catch (e) { console.log(e.message) }
