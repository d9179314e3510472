// SPDX-License-Identifier: Apache-2.0
// vm.SyntheticModule; what Node has behind a flag is there without.
const vm = require('vm');
(async () => {
  const made = new vm.SyntheticModule(['default', 'a'], function () { this.setExport('a', 1); this.setExport('default', { b: 2 }); }, { identifier: 'made' });
  console.log(made.status, made.identifier);
  for (const act of [() => made.namespace, () => made.error, () => made.setExport('a', 1)]) { try { act(); } catch (error) { console.log(error.code, error.message); } }
  await made.link(() => {});
  console.log(made.status);
  try { made.setExport('c', 1); } catch (error) { console.log(error.name); }
  await made.evaluate();
  console.log(made.status, made.namespace.a, made.namespace.default.b);
  await made.link(() => {}).catch((error) => console.log(error.code));
})();
