// SPDX-License-Identifier: Apache-2.0
module.exports = class K { static s = 1 };
