// SPDX-License-Identifier: Apache-2.0
// util.MIMEType and util.MIMEParams, after the WHATWG's MIME Sniffing standard.
'use strict';
const { base } = shelf;
const notToken = /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/g;
const notQuoted = /[^\t\u0020-~\u0080-\u00FF]/g;
const blanks = '[\\r\\n\\t ]';
const leading = new RegExp(`^${blanks}+`);
const trailing = new RegExp(`${blanks}+$`);
const lower = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const firstBad = (text, bad) => { bad.lastIndex = 0; return bad.exec(text)?.index ?? -1; };

function invalid(what, text, index) {
  const at = index === undefined || index === -1 ? '' : ` at ${index}`;
  return base.coded(TypeError, 'ERR_INVALID_MIME_SYNTAX', `The MIME syntax for a ${what} in ${base.JSON.stringify(text)} is invalid${at}`);
}
function checked(text, what, whole, bad = notToken) {
  const index = firstBad(text, bad);
  if (text === '' && bad === notToken || index !== -1) throw invalid(what, whole ?? text, index);
  return text;
}
const quoted = (value) => {
  if (value !== '' && firstBad(value, notToken) === -1) return value;
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
};

let readParams;
class MIMEParams {
  #list = new Map();
  get(name) { const value = this.#list.get(`${name}`); return value ?? null; }
  has(name) { return this.#list.has(`${name}`); }
  set(name, value) {
    const [key, text] = [`${name}`, `${value}`];
    const bad = firstBad(key, notToken);
    if (key === '' || bad !== -1) throw invalid('parameter name', key, bad);
    const badValue = firstBad(text, notQuoted);
    if (badValue !== -1) throw invalid('parameter value', text, badValue);
    this.#list.set(key, text);
  }
  delete(name) { this.#list.delete(`${name}`); }
  * entries() { yield* this.#list.entries(); }
  * keys() { yield* this.#list.keys(); }
  * values() { yield* this.#list.values(); }
  toString() { return [...this.#list].map(([name, value]) => `${name}=${quoted(value)}`).join(';'); }
  static {
    // Parameters that do not follow the syntax are left out; of two with one name the first counts.
    readParams = (params, text) => {
      let rest = text;
      while (rest !== '') {
        rest = rest.replace(leading, '');
        const end = /[;=]/.exec(rest)?.index ?? rest.length;
        const name = lower(rest.slice(0, end));
        const hasValue = rest[end] === '=';
        rest = rest.slice(end + (end < rest.length ? 1 : 0));
        if (!hasValue) continue;
        let value;
        if (rest[0] === '"') {
          const match = /^"((?:\\.|[^"\\])*\\?)("|$)/s.exec(rest);
          value = match[1].replace(/\\(.)/gs, '$1');
          rest = rest.slice(match[0].length).replace(/^[^;]*;?/, '');
        } else {
          const at = rest.indexOf(';');
          value = (at === -1 ? rest : rest.slice(0, at)).replace(trailing, '');
          rest = at === -1 ? '' : rest.slice(at + 1);
          if (value === '') continue;
        }
        if (name === '' || firstBad(name, notToken) !== -1 || firstBad(value, notQuoted) !== -1 || params.#list.has(name)) continue;
        params.#list.set(name, value);
      }
    };
  }
}
Object.defineProperty(MIMEParams.prototype, Symbol.iterator, { value: MIMEParams.prototype.entries, configurable: true, writable: true });
Object.defineProperty(MIMEParams.prototype, 'toJSON', { value: MIMEParams.prototype.toString, configurable: true, writable: true });

class MIMEType {
  #type; #subtype; #params = new MIMEParams();
  constructor(input) {
    const text = `${input}`;
    const start = text.replace(leading, '');
    const slash = start.indexOf('/');
    const type = slash === -1 ? start.replace(trailing, '') : start.slice(0, slash);
    const bad = firstBad(type, notToken);
    if (type === '' || slash === -1 || bad !== -1) throw invalid('type', text, bad);
    const rest = start.slice(slash + 1);
    const semicolon = rest.indexOf(';');
    const subtype = (semicolon === -1 ? rest : rest.slice(0, semicolon)).replace(trailing, '');
    const badSub = firstBad(subtype, notToken);
    if (subtype === '' || badSub !== -1) throw invalid('subtype', text, badSub);
    this.#type = lower(type);
    this.#subtype = lower(subtype);
    if (semicolon !== -1) readParams(this.#params, rest.slice(semicolon + 1));
  }
  get type() { return this.#type; }
  set type(value) { this.#type = lower(checked(`${value}`, 'type')); }
  get subtype() { return this.#subtype; }
  set subtype(value) { this.#subtype = lower(checked(`${value}`, 'subtype')); }
  get essence() { return `${this.#type}/${this.#subtype}`; }
  get params() { return this.#params; }
  toString() { const params = this.#params.toString(); return params === '' ? this.essence : `${this.essence};${params}`; }
}
Object.defineProperty(MIMEType.prototype, 'toJSON', { value: MIMEType.prototype.toString, configurable: true, writable: true });
shelf.mime = { MIMEType, MIMEParams };
