// SPDX-License-Identifier: Apache-2.0
// What node:tls and crypto.X509Certificate share: the facts of a certificate, as the host gives them.
'use strict';
const { builtins } = shelf;

// Names and values of the text (lang/script/internal/certificates.hpp).
function factsOf(text) {
  const found = {};
  for (const line of text.split('\x02')) {
    const at = line.indexOf('\x01');
    if (at !== -1) found[line.slice(0, at)] = line.slice(at + 1);
  }
  return found;
}
function namesOf(text) {
  const made = { __proto__: null };
  for (const line of text.split('\n')) {
    const at = line.indexOf('=');
    if (at === -1) continue;
    const [key, value] = [line.slice(0, at), line.slice(at + 1)];
    if (made[key] === undefined) made[key] = value;
    else if (Array.isArray(made[key])) made[key].push(value);
    else made[key] = [made[key], value];
  }
  return made;
}
const colons = (hex) => hex.toUpperCase().match(/../g).join(':');
function fingerprints(raw) {
  const made = {};
  for (const [name, hash] of [['fingerprint', 'sha1'], ['fingerprint256', 'sha256'], ['fingerprint512', 'sha512']]) made[name] = colons(builtins.crypto.createHash(hash).update(raw).digest('hex'));
  return made;
}
shelf.certificates = { factsOf, namesOf, fingerprints };
