// SPDX-License-Identifier: Apache-2.0
function f(e) { e.late = 1; } f(exports); exports.early = 2;
