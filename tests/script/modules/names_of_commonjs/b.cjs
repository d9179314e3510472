// SPDX-License-Identifier: Apache-2.0
const s = "exports.no = 1"; const t = `exports.no2 = 2 ${exports.inner = 5}`; exports.ok = s;
