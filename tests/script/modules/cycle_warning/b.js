// SPDX-License-Identifier: Apache-2.0
const a = require('./a'); a.nope; module.exports = { seen: a, name: 'b' };
