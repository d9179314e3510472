// SPDX-License-Identifier: Apache-2.0
import {nope} from "./live.mjs"
