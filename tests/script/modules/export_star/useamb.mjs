// SPDX-License-Identifier: Apache-2.0
import { a } from './amb.mjs'; console.log(a);
