// SPDX-License-Identifier: Apache-2.0
require('./b/c');
