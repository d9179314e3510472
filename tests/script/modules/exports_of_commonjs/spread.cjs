// SPDX-License-Identifier: Apache-2.0
module.exports = { ...require('./obj.cjs'), z: 1 };
