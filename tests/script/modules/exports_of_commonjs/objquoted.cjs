// SPDX-License-Identifier: Apache-2.0
module.exports = { 'q-r': 'one', "s": 2, t };
var t = 3;
