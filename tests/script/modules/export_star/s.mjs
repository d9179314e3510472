// SPDX-License-Identifier: Apache-2.0
export * from './x.mjs'; export * as inner from './x.mjs'; export { a as b } from './x.mjs';
