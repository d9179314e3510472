// SPDX-License-Identifier: Apache-2.0
// Marks and measures; DOMException.
{
const p=console.log;
p(typeof performance.now(), String(performance), typeof performance.toJSON);
const t=f=>{ try { p(f()) } catch(e) { p(e.name,e.code,e.message) } };
t(()=>{ const m=performance.mark('a'); return [m.name,m.entryType,m.duration,typeof m.startTime,m.detail] });
t(()=>{ performance.mark('b');
const m=performance.measure('ab','a','b'); return [m.name,m.entryType,m.duration>=0] });
t(()=>performance.getEntriesByName('a').length);
t(()=>performance.getEntriesByType('mark').map(e=>e.name));
t(()=>{ performance.clearMarks(); return performance.getEntriesByType('mark') });
t(()=>Object.keys(require('perf_hooks')).includes('performance'));
t(()=>performance.measure('x','missing'));
p(performance.timerify(function f(){return 5})());
}
{
const p=console.log;
const e=new DOMException('m','NotFoundError');
p(e.name,e.code,e.message,String(e),e instanceof Error,e.stack.split('\n')[0],Object.keys(e));
p(new DOMException().name,new DOMException().message,new DOMException('x').code, new DOMException('x','Foo').code);
p(DOMException.ABORT_ERR, DOMException.DATA_CLONE_ERR, e.ABORT_ERR, Object.keys(DOMException).length);
p(new DOMException('m',{name:'N',cause:5}).cause);
p(Object.prototype.toString.call(e));  p(Object.getOwnPropertyNames(DOMException.prototype).length, Object.keys(DOMException.prototype).slice(0,4));
for (const n of ['IndexSizeError','HierarchyRequestError','WrongDocumentError','InvalidCharacterError','NoModificationAllowedError','NotSupportedError','InUseAttributeError','InvalidStateError','SyntaxError','InvalidModificationError','NamespaceError','InvalidAccessError','TypeMismatchError','SecurityError','NetworkError','AbortError','URLMismatchError','QuotaExceededError','TimeoutError','InvalidNodeTypeError','DataCloneError','EncodingError','OperationError']) p(n,new DOMException('',n).code);
}
