// SPDX-License-Identifier: Apache-2.0
export let count=0; export function up(){count++} export default function(){}
