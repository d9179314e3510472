// SPDX-License-Identifier: Apache-2.0
// node:buffer: numbers, search and filling.
const p=console.log;
const t=f=>{ try { p(f()) } catch(e) { p(e.name,e.code,e.message) } };
{
const b=Buffer.from([0xff,0x80,0x01,0x7f,0xfe,0x33,0xc4,0x5d,0x9a,0x10]);
for (const name of Object.keys(Buffer.prototype).filter(n=>/^read/.test(n)).sort()) {
  const isSized=/^readU?[Ii]nt[BL]E$/.test(name);
  for (const o of isSized?[[0,1],[1,2],[2,3],[3,4],[0,5],[1,6],[0,0],[0,7],[0,1.5],[0,undefined],[0,'2'],[9,2],[undefined,2],['1',2],[1.5,2],[-1,1],[NaN,1],[null,1]]:[[],[1],[2],[9],[10],[-1],[1.5],['1'],[NaN],[Infinity],[undefined],[null],[2**33],[0n]]) { let r; try { r=b[name](...o) } catch(e) { r=`${e.name} ${e.code} ${e.message}` } p(name,o,r); }
}
for (const n of [0,1,2,3,7]) for (const m of ['readUInt8','readInt16LE','readDoubleBE','readBigInt64LE','readFloatLE']) t(()=>Buffer.alloc(n)[m](0));
}
{
const values=[0,1,-1,127,128,-128,-129,255,256,32767,32768,-32769,65535,65536,2**31-1,2**31,-(2**31),-(2**31)-1,2**32-1,2**32,2**40,-(2**40),2**48,1.5,-1.5,NaN,Infinity,'5','x',null,undefined,true,{},'0x10'];
for (const name of Object.keys(Buffer.prototype).filter(n=>/^write/.test(n)&&!/Big|Uint/.test(n)&&n!=='write').sort()) {
  for (const v of values) { const c=Buffer.alloc(8,0xee); const args=/^writeU?Int[BL]E$/.test(name)?[1,[3,5,6,1][values.indexOf(v)%4]]:[1]; let r; try { r=c[name](v,...args) } catch(e) { r=`${e.name} ${e.code} ${e.message}` } if (!/(Slice|Write)$/.test(name)) p(name,v,args,r,c.toString('hex')); }
  for (const args of [[1,-1],[1,9],[1,8],[1,'1'],[1,1.5],[1],[1,undefined],[1,null],[1,0,7],[1,0,0],[1,0,'2'],[1,6,6]]) { const c=Buffer.alloc(8,0xee); let r; try { r=c[name](...args) } catch(e) { r=`${e.name} ${e.code} ${e.message}` } p(name,args,r,c.toString('hex')); }
}
for (const name of ['writeBigInt64LE','writeBigInt64BE','writeBigUInt64LE','writeBigUint64BE']) for (const args of [[1n],[-1n],[2n**63n-1n],[2n**63n],[2n**64n],[-(2n**63n)],[-(2n**63n)-1n],[5n,1],[5n,-1],[5n,'1']]) { const c=Buffer.alloc(8,0xee); let r; try { r=c[name](...args) } catch(e) { r=`${e.name} ${e.code} ${e.message}` } p(name,args,r,c.toString('hex')); }
}
{
const b=Buffer.from('this is a buffer, this is é');
for (const args of [['is'],['is',3],['is',-5],['nope'],[''],['',5],['',100],['',-3],[104],[104+256],[104.9],[-1],[Buffer.from('buffer')],[new Uint8Array([97])],['6973','hex'],['aXM=','base64'],['is',0,'utf16le'],['is','utf8'],['is',undefined],['is',null],['is',{}],['is','nope'],['is',0,'nope'],[null],[undefined],[{}],['is',Infinity],['is',-Infinity],['is',NaN],['is',2.5],['é'],['é',0,'latin1'],['this',100],[99,2**40],['is',-100],['buffer, this is a long needle which is longer than the haystack'],[b],[b.subarray(1)]]) { for (const m of ['indexOf','lastIndexOf','includes']) { let r; try { r=b[m](...args) } catch(e) { r=`${e.name} ${e.code} ${e.message}` } p(m,args,r); } }
const u=Buffer.from('abcabc\u0441x','utf16le'); for (const args of [['c',0,'utf16le'],['c',5,'ucs2'],['c',-3,'ucs2'],['\u0441',0,'utf16le'],['bc',3,'utf16le'],['a',1,'utf16le'],['',0,'utf16le']]) for (const m of ['indexOf','lastIndexOf']) p(m,args,u[m](...args));
p(Buffer.alloc(0).indexOf(''),Buffer.alloc(0).indexOf('a'),Buffer.alloc(0).lastIndexOf(1),Buffer.from('a').indexOf('ab'),Buffer.from('aaaa').lastIndexOf('aa'),Buffer.from('aaaa').lastIndexOf('aa',1),Buffer.from('aaaa').indexOf(Buffer.alloc(0),2));
}
{
const f=(...args)=>{ const c=Buffer.alloc(8,1); try { p(args,c.fill(...args).toString('hex')) } catch(e) { p(args,e.name,e.code,e.message) } };
for (const args of [['a'],['ab'],['é'],['abc',2],['abc',2,5],['abc','utf8'],['616263','hex'],['zz','hex'],['6','hex'],['abc',1,'utf16le'],['abc',1,4,'latin1'],['a','nope'],['a',0,8,5],['a',0,8,null],['',2],[''],[0],[256],[-1],[1.9],[true],[false],[null],[undefined],[NaN],['5'],[{}],[Buffer.from('xy')],[new Uint16Array([1,2])],[Buffer.alloc(0)],['a',-1],['a',9],['a',0,9],['a','0'],['a',0,'5'],['a',5,2],['a',1.5],['a',0,-1],[7,'x'],[7,1,'x'],['ab',undefined,3],['YWI=','base64']]) f(...args);
const w=(...args)=>{ const c=Buffer.alloc(8,1); try { p(args,c.write(...args),c.toString('hex')) } catch(e) { p(args,e.name,e.code,e.message) } };
for (const args of [['abc'],['abc',2],['abc',2,1],['abc',2,1,'latin1'],['616263','hex'],['616263',1,'hex'],['€€€'],['€€€',1],['€',6],['😀',5],['abcdefghijk'],['abcdefghijk','utf16le'],['é','latin1'],['YWJj','base64'],['YWJj',6,'base64'],['a',9],['a',8],['a',-1],['a',1.5],['a','1'],['a',0,9],['a',4,8],['a','nope'],['a',0,1,'nope'],[5],[],['a',0,-1],['a',null],['a',0,undefined,'hex'],['61',0,undefined,'hex'],['\ud800']]) w(...args);
const x=Buffer.alloc(6); p(x.utf8Write('añ',1),x.latin1Write('é',0,1),x.hexWrite('ff',5),x.ucs2Write('ab',0,4),x,x.utf8Slice(0,2),x.hexSlice(),x.base64Slice(1,4),x.asciiSlice(),x.ucs2Slice(0,4)); 
}
{ // The same bytes in every encoding and back.
let seed=7; const rnd=()=>(seed=(seed*1103515245+12345)%2147483648)/2147483648; const h=require('assert');
for (let i=0;i<150;i++) { const n=Math.floor(rnd()*40); const b=Buffer.from(Array.from({length:n},()=>rnd()<0.5?Math.floor(rnd()*256):Math.floor(rnd()*64)+0x60)); p(b.toString().length,JSON.stringify(b.toString()),b.toString('base64url'),Buffer.from(b.toString('utf8')).toString('hex'),Buffer.byteLength(b.toString('latin1')),JSON.stringify(b.toString('utf16le')));
  for (const e of ['hex','base64','base64url','latin1']) h(Buffer.from(b.toString(e),e).equals(b)); p(Buffer.from(b.toString('latin1'),'base64'),Buffer.from(b.toString('latin1'),'hex')); }
const big=Buffer.alloc(300000,'aé€😀z'); p(big.toString().length,big.toString('utf16le').length,big.toString('hex').length,big.toString('latin1').length,Buffer.from(big.toString('base64'),'base64').equals(big),Buffer.from(big.toString()).length);
}
