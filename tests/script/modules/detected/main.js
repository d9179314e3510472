// SPDX-License-Identifier: Apache-2.0
// A .js file without a package: it is a module because of its syntax.
import path from 'path';
import { named } from './named.js';
import plain from './plain.js';
export const here = path.basename(import.meta.url);
console.log(here, named, plain, typeof require, this);
await null;
for (const name of ['waits.js', 'redeclares.js', 'imports.js', 'wrong.js']) {
  await import(`./${name}`).then((space) => console.log(name, Object.keys(space), space.default),
    (error) => console.log(name, error.name));
}
