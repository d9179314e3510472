// SPDX-License-Identifier: Apache-2.0
import './a.mjs'; throw new Error('b fails');
