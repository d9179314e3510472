// SPDX-License-Identifier: Apache-2.0
// atob, btoa and crypto: argument errors.
{
const p=console.log;
const t=f=>{ try { p(JSON.stringify(f())) } catch(e) { p(e.name,e.code,e.message) } };
t(()=>btoa('hello'));
t(()=>btoa(''));
t(()=>btoa('é'));
t(()=>btoa('€'));
t(()=>atob('aGVsbG8='));
t(()=>atob('aGVsbG8'));
t(()=>atob(' aGV sbG8= '));
t(()=>atob('a'));
t(()=>atob('*'));
t(()=>atob('aa='));
t(()=>atob('aaa=='));
t(()=>atob(''));
t(()=>btoa());
t(()=>atob());
t(()=>btoa(null));
t(()=>atob(null));
t(()=>btoa(undefined));
t(()=>atob(12));  t(()=>atob('aGVsbG8=\u00a0'));
t(()=>atob('='));
t(()=>atob('ab=c'));
p(btoa.length, atob.length, btoa.name);
}
{
const p=console.log;
const t=f=>{ try { p(f()) } catch(e) { p(e.name,e.code,e.message) } };
p(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()));
const a=new Uint8Array(8);
p(crypto.getRandomValues(a)===a);
t(()=>crypto.getRandomValues(new Float32Array(2)));
t(()=>crypto.getRandomValues(new Uint8Array(65537)));
t(()=>crypto.getRandomValues());
t(()=>crypto.getRandomValues([]));
t(()=>crypto.getRandomValues(new DataView(new ArrayBuffer(1))));
p(String(crypto), crypto.constructor.name);
t(()=>crypto.getRandomValues.call({}, new Uint8Array(1)));
t(()=>crypto.randomUUID({disableEntropyCache:true}).length);
p(crypto.getRandomValues(new Uint8Array(0)), crypto.getRandomValues(new BigUint64Array(1)).length);
t(()=>new Crypto());
}
