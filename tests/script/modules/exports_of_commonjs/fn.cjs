// SPDX-License-Identifier: Apache-2.0
module.exports = function named() {}; module.exports.x = 1;
