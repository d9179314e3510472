// SPDX-License-Identifier: Apache-2.0
if (true) exports.yes = 1; else exports.no = 2;
