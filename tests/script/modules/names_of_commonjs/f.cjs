// SPDX-License-Identifier: Apache-2.0
var o = { exports: {} }; o.exports.hidden = 1; exports.shown = 1; foo: exports.lab = 3;
