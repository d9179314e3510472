// SPDX-License-Identifier: Apache-2.0
export * from './x.mjs'; export * from './y.mjs';
