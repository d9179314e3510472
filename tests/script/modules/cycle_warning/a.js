// SPDX-License-Identifier: Apache-2.0
const b = require('./b'); module.exports = { b, name: 'a' };
