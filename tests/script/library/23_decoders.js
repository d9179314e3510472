// SPDX-License-Identifier: Apache-2.0
// TextDecoder and TextEncoder: labels, streams and errors.
const p=(...a)=>console.log(...a);
const td=(l,o)=>{ try { const d=new TextDecoder(l,o);
p(l,d.encoding,d.fatal,d.ignoreBOM); return d } catch(e) { p(l,e.name,e.code,e.message) } };
for (const l of ['utf-8','UTF8',' utf-8 ','utf-16','utf-16le','utf-16be','latin1','ascii','iso-8859-1','iso-8859-2','windows-1251','windows-1252','koi8-r','macintosh','x','','unicode-1-1-utf-8','iso-8859-15','windows-1250','ibm866','x-user-defined','us-ascii','l1','ucs-2','utf-7','hex','base64','replacement']) td(l);
td(5);
td(null);
td(undefined);
td('utf-8',{fatal:true,ignoreBOM:1});
td('utf-8',null);
td('utf-8',5);
const b=(...x)=>new Uint8Array(x);
const d=new TextDecoder();
p(JSON.stringify(d.decode(b(0xef,0xbb,0xbf,65))));
p(JSON.stringify(new TextDecoder('utf-8',{ignoreBOM:true}).decode(b(0xef,0xbb,0xbf,65))));
p(JSON.stringify(d.decode(b(0xff,0xfe,65,0xc3,0x28,0xe2,0x82,0xf0,0x9f,0x98))));
try { new TextDecoder('utf-8',{fatal:true}).decode(b(0xff)) } catch(e) { p(e.name,e.code,e.message) } const s=new TextDecoder();
p(JSON.stringify([s.decode(b(0xe2),{stream:true}),s.decode(b(0x82),{stream:true}),s.decode(b(0xac),{stream:true}),s.decode()]));
p(d.decode(), d.decode(undefined), d.decode(new ArrayBuffer(1)).length, d.decode(new DataView(new ArrayBuffer(2),1)).length, d.decode(new Uint16Array([65,66])).length, d.decode(new SharedArrayBuffer(1)).length);
for (const v of ['str',5,null,{},[]]) try { p(d.decode(v)) } catch(e) { p(e.name,e.code,e.message) } p(new TextDecoder('utf-16le').decode(b(65,0,0x3d,0xd8,0,0xde)));
p(new TextDecoder('utf-16be').decode(b(0,65,0,66)));  p(new TextDecoder('windows-1251').decode(b(0xcf,0xf0)));
p(new TextDecoder('iso-8859-2').decode(b(0xb1,0xe6)));
p(new TextDecoder('koi8-r').decode(b(0xf0)));     p(d, String(d));
p(Object.keys(TextDecoder.prototype));
try { new TextDecoder('utf-16le',{fatal:true}).decode(b(65)) } catch(e) { p(e.name,e.code,e.message) } const e=new TextEncoder();
p(e.encoding,e.encode('€\ud800x'),e.encode(),e.encode(undefined),e.encode(null),e.encodeInto('héé',new Uint8Array(3)),String(e),e);
for (const a of [['x'],['x',[]],[5,new Uint8Array(1)],['x',new Uint16Array(1)]]) try { p(e.encodeInto(...a)) } catch(er) { p(er.name,er.code,er.message) } try { TextEncoder.prototype.encode.call({}) } catch(er) { p(er.name,er.code,er.message) } try { TextDecoder.prototype.decode.call({}) } catch(er) { p(er.name,er.code,er.message) }
