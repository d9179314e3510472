// SPDX-License-Identifier: Apache-2.0
exports.xx = 9;
