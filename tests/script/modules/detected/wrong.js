// SPDX-License-Identifier: Apache-2.0
const await of = 1;
