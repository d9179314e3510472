// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
console.log('body', join('a', 'b'));
process.nextTick(() => console.log('tick'));
queueMicrotask(() => console.log('micro'));
setTimeout(() => console.log('timer'), 1);
