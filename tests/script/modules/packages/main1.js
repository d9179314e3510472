// SPDX-License-Identifier: Apache-2.0
console.log(require('./cyc/a.js'), require('./cyc/b.js').done);
const t = (n) => { try { const v = require(n); console.log(n, '=>', v); } catch (e) { console.log(n, '!!', e.code, e.message.split('\n')[0]); } };
['dual','dual/feature','dual/package.json','dual/secret.js','cjsonly','cjsonly/lib','cjsonly/lib.js','esmonly','cond/a','cond/null','cond/arr','cond/star/q','cond/star/private/p','cond/dir/q.js','cond/nope','cond','@sc/pkg','@sc/pkg/sub','@sc/pkg/zz','nomain','mainfield','jsonmain','nested','inner','self-pkg/x','self-pkg/nope','#lib/a','#lib/zz','#dep','#one','#none','#','./sub','./sub/x','./sub/x.js','./sub/','./nope','../m/sub/x','fs-nope','','./main1.js','.','..'].forEach(t);
for (const bad of [undefined, null, 5, {}, []]) try { require(bad) } catch (e) { console.log(e.code, e.message) }
console.log(require.resolve('dual').split('/').slice(-2), require.resolve('path'), require.resolve('node:path'), module.id, module.loaded, module.children.length > 3, require.main === module, module.paths[0].split('/').slice(-2), typeof module.require, module.parent);
console.log(Object.keys(require), Object.keys(module), require.resolve.paths('x').slice(0,1).map((p) => p.split('/').slice(-1)), require.resolve.paths('./x').length, require.resolve.paths('path'));
console.log(__filename.split('/').pop(), __dirname.split('/').pop(), typeof exports, exports === module.exports, this === exports, arguments.length);
const k = require.resolve('./sub/x.js'); console.log(require.cache[k].exports, delete require.cache[k], require('./sub/x.js'));
console.log(require('module').builtinModules.includes('path'), require('module').isBuiltin('node:path'), require('module').isBuiltin('zz'));
import('dual').then((m) => { console.log(m); return import('./sub/x.js'); }).then((m) => { console.log(m.default, m); return import('cjsonly'); }).then((m) => console.log(m)).then(() => import('./nope.mjs')).catch((e) => console.log(e.code, e.message.replace(new RegExp(__dirname, "g"), '')));
