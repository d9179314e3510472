// SPDX-License-Identifier: Apache-2.0
const space = require('./named.js');
module.exports = space;
