// SPDX-License-Identifier: Apache-2.0
// vm.SourceTextModule: linking, cycles, import.meta, import() and errors.
const vm = require('vm');
const show = (error) => console.log(error.name, error.code, error.message.split('\n')[0]);
async function main() {
  const parts = {
    main: "import { b, count } from 'b'; import data from 'data'; export const all = [b, data.x, count()]; export default import.meta.mine;",
    b: "import { all } from 'main'; let n = 0; export const b = 'b'; export const count = () => { n += 1; return n; }; export const late = () => all;",
  };
  const made = new Map();
  const linker = async (name, from, extra) => {
    console.log('link', name, from.identifier, typeof extra);
    if (name === 'data') return new vm.SyntheticModule(['default'], function () { this.setExport('default', { x: 'x' }); });
    return made.get(name) ?? build(name);
  };
  const build = (name) => {
    const module = new vm.SourceTextModule(parts[name], { identifier: name, initializeImportMeta(meta, self) { meta.mine = self.identifier; } });
    made.set(name, module);
    return module;
  };
  const module = build('main');
  console.log(module.status, module.dependencySpecifiers, module.identifier);
  await module.link(linker);
  console.log(module.status, made.get('b').status);
  console.log(await module.evaluate(), module.status, made.get('b').status);
  console.log(module.namespace.all, module.namespace.default, made.get('b').namespace.late());

  const dynamic = new vm.SourceTextModule("export const got = (await import('other')).value;", {
    async importModuleDynamically(name) {
      const other = new vm.SourceTextModule(`export const value = ${JSON.stringify(name)};`);
      await other.link(() => {});
      await other.evaluate();
      return other;
    },
  });
  await dynamic.link(() => {});
  await dynamic.evaluate();
  console.log(dynamic.namespace.got);

  // Errors.
  try { new vm.SourceTextModule('export const ='); } catch (error) { console.log(error.name); }
  for (const act of [() => vm.Module(), () => new vm.SourceTextModule(1), () => new vm.SyntheticModule([1], () => {}), () => new vm.SyntheticModule(['a', 'a'], () => {})]) { try { act(); } catch (error) { console.log(error.name, error.code); } }
  const lost = new vm.SourceTextModule("import 'nothing'");
  await lost.evaluate().catch(show);
  await lost.link(() => ({})).catch(show);
  console.log(lost.status, lost.error.code);
  const missing = new vm.SourceTextModule("import { no } from 'a'");
  await missing.link(() => new vm.SyntheticModule(['yes'], () => {})).catch((error) => console.log(error.name));
  const bad = new vm.SourceTextModule('export let a = 1; throw new RangeError("bad")');
  await bad.link(() => {});
  await bad.evaluate().catch(show);
  console.log(bad.status, bad.error.message);
  const closed = new vm.SourceTextModule("await import('fs')");
  await closed.link(() => {});
  await closed.evaluate().catch((error) => console.log(error.code));
}
main();
