// SPDX-License-Identifier: Apache-2.0
exports.default = 4;
