// SPDX-License-Identifier: Apache-2.0
import {b} from "./b.mjs"; export const a="A"; console.log("a sees", b); export function fa(){return "fa"}
