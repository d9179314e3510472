// SPDX-License-Identifier: Apache-2.0
console.log(); console.log(''); console.log('a','b',1,{a:1}); console.info('i'); console.debug('d'); console.dirxml({a:1},[2]);
console.log('%s is %d years and %i, %f, %j %o %O %%', 'Bob', 42.5, 42.9, '1.5', {a:1}, [1], {b:{c:{d:{e:1}}}}, 'extra', {x:1});
console.group('G1'); console.log('in'); console.group(); console.log('in2\nline2'); console.groupEnd(); console.log('x'); console.groupEnd(); console.groupEnd(); console.log('out');
console.count(); console.count(); console.count('x'); console.countReset(); console.count();
console.dir({a:{b:{c:{d:1}}}},{depth:0}); console.dir({a:{b:{c:{d:1}}}},{depth:null}); console.dir([1,[2,[3,[4,[5]]]]]);
console.table([[1,2],[3,4]]); console.table([{a:1,b:'x'},{a:2,c:true}]); console.table([{a:1,b:'x'},{a:2,c:true}],['a']); console.table(5); console.table(null); console.table(['a','b']); console.table(new Map([['a',1],['b',{x:1}]])); console.table(new Set([1,'b'])); console.table({x:{a:1},y:{a:2}}); console.table([]); console.table([1,{a:2}]); console.table([[1,2,[3,4]],[5]]); console.table({a:1,b:'c'}); console.table([{name:'日本',v:1}]); console.table([new Date(0)]); console.table([undefined,null,Symbol('a'),10n,()=>{}]); console.table(new Map([[{a:1},1]]).entries()); console.table(new Set([1]).values()); console.table([{a:{b:{c:1}}}]); console.table([{a:1,b:2,c:3,d:{x:1,y:2,z:3}}]);
console.assert(true,'no'); console.log(Object.keys(console).sort().join()); console.log(console.log.name, console.error.name, console.table.length);
try { console.table([], 5) } catch (e) { console.log(e.code, e.message) }
const { Console } = console; const out=[]; const mk=(p)=>({write(s){out.push(p+s)},on(){},once(){},removeListener(){},listenerCount(){return 1}}); const c = new Console({stdout:mk(''),stderr:mk('E'),groupIndentation:4}); c.log('a'); c.error('b'); c.group(); c.log({a:1}); c.groupEnd(); c.dir({a:1}); c.assert(false,'bad %d',1); c.trace === undefined || out.push('t'); console.log(out);
console.log(c instanceof Console, console instanceof Console);
try { new Console({}) } catch (e) { console.log(e.code, e.message) }
console.log(-0, [ -0 ], 0, NaN, 1e21, 1e-7, 123456789012345680000);
console.log('%s', null, undefined, Symbol('s')); console.log('%s', class A {}, function f(){}, () => {}); console.log('%d', '0x10', 5n, {}); console.log('%c styled', 'color:red'); console.log('100%', 5); console.log('%', 1); console.log('%x', 1); console.log('a%sb%sc', 1); console.log(null, undefined, true);
console.log([undefined, null, , 3]); console.log([['a', 1], ['b', 2]]); console.log(Object.create({a:1})); console.log([1.5, 'a', "it's"]); console.log({ 'a-b': 1, 2: 3, [Symbol('x')]: 4 });
console.log(process.stdout.isTTY, process.stderr.isTTY, typeof process.stdout.write, process.stdout.fd);
