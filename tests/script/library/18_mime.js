// SPDX-License-Identifier: Apache-2.0
// util.MIMEType and MIMEParams.
const {MIMEType,MIMEParams}=require('util');
const t=f=>{ try { console.log(f()) } catch(e) { console.log(e.name,e.code,e.message) } };
const m=new MIMEType('Text/JavaScript; charset=UTF-8; q="a b"');
t(()=>String(m));
t(()=>m.type+m.subtype+m.essence);
t(()=>m.params.get('charset'));
t(()=>[...m.params]);
t(()=>new MIMEType('bad'));
t(()=>new MIMEType('a/'));
t(()=>{ m.type='application';
m.subtype='json';
m.params.set('x','y z');
m.params.delete('q'); return String(m) });
t(()=>m);
t(()=>{ m.type='' });
t(()=>JSON.stringify(m));
t(()=>new MIMEParams());
t(()=>m.params.has('x'));t(()=>new MIMEType('a/b;c'));t(()=>new MIMEType('a/b;c=d;c=e;f=" q\\"')+'');
