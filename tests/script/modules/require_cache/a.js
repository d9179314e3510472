// SPDX-License-Identifier: Apache-2.0
globalThis.c = (globalThis.c || 0) + 1; exports.n = globalThis.c;
