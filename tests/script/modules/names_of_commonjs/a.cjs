// SPDX-License-Identifier: Apache-2.0
// exports.no = 1;
/* exports.no2 = 2; */ exports.yes = 3; // exports.no3 = 1
