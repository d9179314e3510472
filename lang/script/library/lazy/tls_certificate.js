// SPDX-License-Identifier: Apache-2.0
// node:tls, part 2: what certificates say, and whether one is of a host.
'use strict';
const { base, builtins } = shelf;
const { coded } = base;
shelf.load('certificates');
const { factsOf, namesOf, fingerprints } = shelf.certificates;

// The names of OpenSSL's results.
const results = '2 UNABLE_TO_GET_ISSUER_CERT|3 UNABLE_TO_GET_CRL|4 UNABLE_TO_DECRYPT_CERT_SIGNATURE|6 UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY|7 CERT_SIGNATURE_FAILURE|9 CERT_NOT_YET_VALID|10 CERT_HAS_EXPIRED|12 CRL_HAS_EXPIRED|13 ERROR_IN_CERT_NOT_BEFORE_FIELD|14 ERROR_IN_CERT_NOT_AFTER_FIELD|17 OUT_OF_MEM|18 DEPTH_ZERO_SELF_SIGNED_CERT|19 SELF_SIGNED_CERT_IN_CHAIN|20 UNABLE_TO_GET_ISSUER_CERT_LOCALLY|21 UNABLE_TO_VERIFY_LEAF_SIGNATURE|22 CERT_CHAIN_TOO_LONG|23 CERT_REVOKED|24 INVALID_CA|25 PATH_LENGTH_EXCEEDED|26 INVALID_PURPOSE|27 CERT_UNTRUSTED|28 CERT_REJECTED|62 HOSTNAME_MISMATCH';
const codes = new Map(results.split('|').map((one) => one.split(' ')));
// Of "number words"; undefined: it is verified.
function verifyError(text) {
  if (text === '') return undefined;
  const [number, ...words] = text.split(' ');
  return Object.assign(new Error(words.join(' ')), { code: codes.get(number) ?? 'UNSPECIFIED' });
}

function certificateOf(text) {
  const made = {};
  const found = factsOf(text);
  made.subject = namesOf(found.subject);
  made.issuer = namesOf(found.issuer);
  if (found.subjectaltname !== undefined) made.subjectaltname = found.subjectaltname;
  made.ca = found.ca !== '';
  made.valid_from = found.valid_from;
  made.valid_to = found.valid_to;
  const raw = shelf.Buffer.from(found.raw, 'hex');
  Object.assign(made, fingerprints(raw));
  made.serialNumber = found.serialNumber;
  made.raw = raw;
  return made;
}
// The first of a chain; with all, each has its issuer.
function peerOf(text, withChain) {
  const chain = text.split('\x03').filter((one) => one !== '').map(certificateOf);
  if (chain.length === 0) return undefined;
  if (withChain) {
    chain.forEach((one, i) => {
      const last = i === chain.length - 1;
      if (!last) one.issuerCertificate = chain[i + 1];
      else if (JSON.stringify(one.subject) === JSON.stringify(one.issuer)) one.issuerCertificate = one;
    });
  }
  return chain[0];
}

// ---- Is it of the host? ----

const plainName = (host) => host.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/\.$/, '');
function matches(host, pattern, allowsWildcard) {
  if (!pattern) return false;
  const parts = plainName(pattern).split('.');
  if (parts.includes('')) return false;
  if (!parts.every((part) => /^[\x21-\x7e]*$/.test(part))) return false;
  if (host.length !== parts.length) return false;
  for (let i = host.length - 1; i > 0; i -= 1) if (host[i] !== parts[i]) return false;
  const [first, ...rest] = parts;
  const pieces = first.split('*', 3);
  if (pieces.length === 1 || first.includes('xn--')) return host[0] === first;
  if (!allowsWildcard || pieces.length > 2 || rest.length < 2) return false;
  const [head, tail] = pieces;
  return head.length + tail.length <= host[0].length && host[0].startsWith(head) && host[0].endsWith(tail);
}
function splitNames(text) {
  const made = [];
  const rest = /(?:[^",]|"(?:[^"\\]|\\.)*")+/g;
  for (const [one] of text.matchAll(rest)) made.push(one.trim().replace(/^([A-Za-z ]+:)"(.*)"$/, (all, kind, value) => kind + base.JSON.parse(`"${value}"`)));
  return made;
}
function mismatch(reason, host, cert) {
  return Object.assign(coded(Error, 'ERR_TLS_CERT_ALTNAME_INVALID', `Hostname/IP does not match certificate's altnames: ${reason}`), { reason, host, cert });
}
function checkServerIdentity(given, cert) {
  const { subject, subjectaltname } = cert;
  const [dns, ips] = [[], []];
  const host = `${given}`;
  for (const name of subjectaltname ? splitNames(subjectaltname) : []) {
    if (name.startsWith('DNS:')) dns.push(name.slice(4));
    else if (name.startsWith('IP Address:')) ips.push(name.slice(11));
  }
  const plain = plainName(host);
  if (builtins.net.isIP(plain)) {
    return ips.some((one) => canonical(one) === canonical(plain)) ? undefined : mismatch(`IP: ${plain} is not in the cert's list: ${ips.join(', ')}`, host, cert);
  }
  if (dns.length === 0 && !subject?.CN) return mismatch('Cert does not contain a DNS name', host, cert);
  const parts = plain.split('.');
  if (dns.length > 0) return dns.some((one) => matches(parts, one, true)) ? undefined : mismatch(`Host: ${plain}. is not in the cert's altnames: ${subjectaltname}`, host, cert);
  const names = Array.isArray(subject.CN) ? subject.CN : [subject.CN];
  return names.some((one) => matches(parts, one, true)) ? undefined : mismatch(`Host: ${plain}. is not cert's CN: ${subject.CN}`, host, cert);
}
const canonical = (text) => shelf.netAddress.bytesOf(text)?.join() ?? text;
shelf.tlsCertificate = { verifyError, certificateOf, peerOf, checkServerIdentity };
