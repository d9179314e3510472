// SPDX-License-Identifier: Apache-2.0
// node:url, also its interface before URL.
const url=require('url');
const p=console.log;
const t=f=>{ try { p(f()) } catch(e) { p(e.name,e.code,e.message) } };
p(Object.keys(url).sort());
t(()=>url.fileURLToPath('file:///a/b%20c'));
t(()=>url.fileURLToPath('http://x'));
t(()=>url.fileURLToPath('file://host/x'));
t(()=>url.fileURLToPath('file:///a%2Fb'));
t(()=>url.fileURLToPath(5));
t(()=>url.fileURLToPath(new URL('file:///x?y#z')));
t(()=>url.pathToFileURL('/a b#?%c\n').href);
t(()=>url.pathToFileURL('/x/').href);
t(()=>url.pathToFileURL(5));
t(()=>url.format(new URL('http://u:p@日本.jp/p?q#f'),{fragment:false,unicode:true,auth:false,search:false}));
t(()=>url.format({protocol:'http',host:'h',pathname:'/p',query:{a:1}}));
t(()=>url.parse('http://u:p@h.com:80/p/a?q=1#f'));
t(()=>url.parse('/a?b=c',true).query.b);
t(()=>url.resolve('/one/two/three','four'));
t(()=>url.resolve('http://example.com/one','/two'));
t(()=>url.domainToASCII('español.com'));
t(()=>url.domainToUnicode('xn--espaol-zwa.com'));
t(()=>url.domainToASCII('xn--iñvalid.com'));
t(()=>url.urlToHttpOptions(new URL('https://a:b@測試.com:1/x?y#z')));
t(()=>url.parse(5));
t(()=>url.parse('mailto:a@b.c').href);
t(()=>url.format(5));
