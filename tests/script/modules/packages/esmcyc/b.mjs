// SPDX-License-Identifier: Apache-2.0
import {a,fa} from "./a.mjs"; export const b="B"; try { console.log(a) } catch (e) { console.log(e.name, e.message) } console.log(fa())
