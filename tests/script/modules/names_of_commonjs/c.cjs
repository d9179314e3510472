// SPDX-License-Identifier: Apache-2.0
const r = /exports.no = 1/; exports.ok = r; const d = 4 / 2; exports.ok2 = d / 1;
