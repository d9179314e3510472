// SPDX-License-Identifier: Apache-2.0
(function (exports) { exports.inner = 1; })({}); exports.outer = 2;
