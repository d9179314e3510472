// SPDX-License-Identifier: Apache-2.0
import { zz } from './b.mjs';
