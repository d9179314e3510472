// SPDX-License-Identifier: Apache-2.0
module.exports.a = 1; module['exports'].b = 2; this.c = 3; exports . d = 4; exports
.e = 5;
