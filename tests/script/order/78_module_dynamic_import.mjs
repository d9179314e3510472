// SPDX-License-Identifier: Apache-2.0
const [a, b] = await Promise.all([import('node:path'), import('node:events')]);
console.log(a.default === a.posix, typeof b.once);
import('node:nothing').catch((e) => console.log(e.code));
