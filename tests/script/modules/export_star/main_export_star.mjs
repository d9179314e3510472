// SPDX-License-Identifier: Apache-2.0
import * as ns from './s.mjs'; console.log(ns); const m = await import('./amb.mjs'); console.log(m); try { await import('./useamb.mjs') } catch (e) { console.log(e.name, e.message) }
