// SPDX-License-Identifier: Apache-2.0
// node:tls, part 1: contexts, and the handle that encrypts for a socket what it sends on another handle.
// The host's part is lang/script/internal/tls_natives.hpp.
'use strict';
const { base } = shelf;
const { natives, argumentType, argumentValue, coded } = base;

const versions = { __proto__: null, TLSv1: 10, 'TLSv1.1': 11, 'TLSv1.2': 12, 'TLSv1.3': 13 };
const defaults = {
  DEFAULT_MIN_VERSION: 'TLSv1.2', DEFAULT_MAX_VERSION: 'TLSv1.3', DEFAULT_ECDH_CURVE: 'auto',
  DEFAULT_CIPHERS: 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES256-GCM-SHA384:DHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-SHA256:DHE-RSA-AES128-SHA256:ECDHE-RSA-AES256-SHA384:DHE-RSA-AES256-SHA384:ECDHE-RSA-AES256-SHA256:DHE-RSA-AES256-SHA256:HIGH:!aNULL:!eNULL:!EXPORT:!DES:!RC4:!MD5:!PSK:!SRP:!CAMELLIA',
};

// Parts of OpenSSL that a code names.
const named = new Set(['SYS', 'BN', 'RSA', 'DH', 'EVP', 'BUF', 'OBJ', 'PEM', 'DSA', 'X509', 'ASN1', 'CONF', 'CRYPTO', 'EC', 'BIO', 'PKCS7', 'X509V3', 'PKCS12', 'RAND', 'DSO', 'ENGINE', 'OCSP', 'UI', 'COMP', 'CMS', 'TS', 'HMAC', 'CT', 'ASYNC', 'KDF', 'SM2']);
// "OPENSSL\ncode\nlibrary\nreason"
function opensslError(text) {
  const [, number, library, reason] = text.split('\n');
  const error = new Error(`error:${number}:${library}::${reason}`);
  const [word] = library.toUpperCase().split(' ');
  const part = word === 'SSL' ? 'SSL_' : `OSSL_${named.has(word) ? `${word}_` : ''}`;
  return Object.assign(error, { library, reason, code: `ERR_${part}${reason.toUpperCase().replace(/ /g, '_')}` });
}

// ---- Contexts ----

const textOf = (value, name) => {
  if (value === undefined || value === null) return '';
  const list = Array.isArray(value) ? value : [value];
  return list.map((one) => {
    if (typeof one === 'string') return one;
    if (ArrayBuffer.isView(one)) return shelf.Buffer.from(one.buffer, one.byteOffset, one.byteLength).toString('latin1');
    if (one?.pem !== undefined) return textOf(one.pem, name);
    throw argumentType(name, ['string', 'Buffer', 'TypedArray', 'DataView'], one);
  }).join('\n');
};
function versionOf(value, name) {
  if (value === undefined || value === null) return 0;
  if (versions[value] === undefined) throw coded(TypeError, 'ERR_TLS_INVALID_PROTOCOL_VERSION', `${JSON.stringify(value)} is not a valid ${name} TLS protocol version`);
  return versions[value];
}
// Numbers of the host go with the object that has them.
const forgotten = new FinalizationRegistry((number) => natives.closeState(number));
function SecureContext(options = {}) {
  if (!(this instanceof SecureContext)) return new SecureContext(options);
  const ciphers = options.ciphers ?? defaults.DEFAULT_CIPHERS;
  base.checks.isString(ciphers, 'options.ciphers');
  if (options.pfx !== undefined) throw argumentValue('options.pfx', '(bytes)', 'is not there: give key and cert as PEM');
  const names = ciphers.split(':');
  const suites = names.filter((name) => name.startsWith('TLS_')).join(':');
  const others = names.filter((name) => !name.startsWith('TLS_')).join(':');
  let number;
  try {
    number = natives.tlsContext(false, textOf(options.cert, 'options.cert'), textOf(options.key, 'options.key'), options.passphrase ?? '', textOf(options.ca, 'options.ca'), others, suites,
      versionOf(options.minVersion ?? defaults.DEFAULT_MIN_VERSION, 'minimum'), versionOf(options.maxVersion ?? defaults.DEFAULT_MAX_VERSION, 'maximum'));
  } catch (error) { throw error.message.startsWith('OPENSSL') ? opensslError(error.message) : error; }
  if (number === undefined) throw coded(Error, 'ERR_NO_CRYPTO', 'This build has no TLS: OpenSSL was not found (libssl-dev)');
  forgotten.register(this, number);
  Object.defineProperty(this, 'context', { value: number, enumerable: false });
}
function createSecureContext(options) { return new SecureContext(options); }

// ---- The handle ----

const nothing = () => {};
class TlsHandle {
  #lower;
  #number;
  #state = 0;  // 0: handshake; 1: open; 2: the peer has ended
  #waiting = [];  // writes and the end before the handshake is done: [run]
  #isTold = false;  // of the end
  #isFlushing = false;
  reading = false;
  isClosed = false;
  bytesRead = 0;
  bytesWritten = 0;
  onread = nothing;
  onsecure = nothing;  // the handshake is done
  onerror = nothing;
  onname = undefined;  // (name, use): a server's choice of a context
  constructor(lower, { context, isServer, servername = '', protocols = '', asks = false, requires = false }) {
    this.#lower = lower;
    this.isPipe = lower.isPipe;
    this.#number = natives.tlsOpen(context.context, isServer, servername, protocols, asks, requires);
    this.context = context;
    lower.onread = (bytes, status) => this.#take(bytes, status);
  }
  get isOpen() { return this.#state !== 0; }
  start() {
    if (!this.#lower.reading) this.#lower.readStart();
    this.#pump();
  }
  #take(bytes, status) {
    if (this.isClosed) return;
    if (bytes !== undefined) {
      natives.tlsFeed(this.#number, bytes);
      this.#pump();
      return;
    }
    this.reading = false;
    this.#isTold = true;
    this.onread(undefined, status);
  }
  #flush(done) {
    const [, , size] = natives.tlsRun(this.#number).split(' ', 3);
    return this.#send(Number(size), done);
  }
  #send(size, done) {
    if (size === 0) return 0;
    const bytes = new Uint8Array(size);
    natives.tlsTake(this.#number, bytes, true);
    return this.#lower.write(bytes, false, done ?? nothing);
  }
  #pump() {
    const text = natives.tlsRun(this.#number);
    const [state, , size] = text.split(' ', 3);
    this.#send(Number(size));
    const failed = text.slice(text.indexOf('OPENSSL') >>> 0);
    if (failed !== '') {
      this.onerror(opensslError(failed));
      return;
    }
    if (state === '3') {
      this.onname(natives.tlsInfo(this.#number, 'name'), (context) => {
        if (this.isClosed) return;
        natives.tlsUse(this.#number, context?.context ?? 0);
        this.#pump();
      });
      return;
    }
    if (this.#state === 0 && state !== '0') {
      this.#state = 1;
      this.onsecure();
      if (this.isClosed) return;
      for (const run of this.#waiting.splice(0)) run();
    }
    this.#deliver();
  }
  // What is decrypted goes to the reader, piece by piece.
  #deliver() {
    while (this.reading && !this.isClosed) {
      const [state, plain, size] = natives.tlsRun(this.#number).split(' ', 3);
      this.#send(Number(size));
      const count = Math.min(Number(plain), 65536);
      if (count > 0) {
        const bytes = shelf.Buffer.allocUnsafeSlow(count);
        natives.tlsTake(this.#number, bytes, false);
        this.bytesRead += count;
        this.onread(bytes, 0);
        continue;
      }
      if (state === '2' && !this.#isTold) {
        this.#isTold = true;
        this.reading = false;
        this.onread(undefined, shelf.netHandle.endOfStream);
      }
      return;
    }
  }
  readStart() {
    this.reading = true;
    if (!this.#isTold && !this.#lower.reading) this.#lower.readStart();
    if (this.#state !== 0 && !this.#isFlushing) {
      this.#isFlushing = true;
      shelf.nextTick(() => {
        this.#isFlushing = false;
        if (!this.isClosed) this.#deliver();
      });
    }
    return 0;
  }
  readStop() {
    this.reading = false;
    // A handshake goes on.
    return this.#state === 0 || this.isClosed ? 0 : this.#lower.readStop();
  }
  write(data, isLatin1, done) {
    this.bytesWritten += typeof data === 'string' ? isLatin1 ? data.length : shelf.Buffer.byteLength(data) : data.byteLength;
    if (this.#state !== 0) return this.#encrypt(data, isLatin1, done);
    this.#waiting.push(() => {
      const status = this.#encrypt(data, isLatin1, done);
      if (status !== 1) done(status);
    });
    return 1;
  }
  #encrypt(data, isLatin1, done) {
    if (!natives.tlsWrite(this.#number, data, isLatin1)) return -71;
    return this.#flush(done);
  }
  shutdown(done) {
    const end = () => {
      natives.tlsEnd(this.#number);
      this.#flush();
      const status = this.#lower.shutdown(done);
      if (status !== 0) done(status);
    };
    // Without a handshake there is no end of TLS to send.
    if (this.#state === 0 && this.#isTold) return this.#lower.shutdown(done);
    if (this.#state === 0) this.#waiting.push(end);
    else end();
    return 0;
  }
  close(done, isReset = false) {
    if (this.isClosed) return;
    this.isClosed = true;
    natives.closeState(this.#number);
    this.#lower.close(done, isReset);
  }
  reset(done) { this.close(done, true); return 0; }
  info(what) { return this.isClosed ? '' : natives.tlsInfo(this.#number, what); }
  get writeQueueSize() { return this.#lower.writeQueueSize; }
  get fd() { return this.#lower.fd; }
  getAsyncId() { return 0; }
  peer() { return this.#lower.peer(); }
  local() { return this.#lower.local(); }
  set(name, value) { return this.#lower.set(name, value); }
  ref() { this.#lower.ref(); }
  unref() { this.#lower.unref(); }
  hasRef() { return this.#lower.hasRef(); }
}

// Any other stream in place of a handle.
class StreamHandle {
  isPipe = true;
  reading = false;
  onread = nothing;
  fd = -1;
  #stream;
  constructor(stream) {
    this.#stream = stream;
    stream.on('data', (bytes) => this.onread(typeof bytes === 'string' ? shelf.Buffer.from(bytes) : bytes, 0));
    stream.on('end', () => this.onread(undefined, shelf.netHandle.endOfStream));
    stream.on('error', (error) => this.owner?.destroy(error));
    stream.on('close', () => this.owner?.destroy());
    stream.pause();
  }
  readStart() { this.reading = true; this.#stream.resume(); return 0; }
  readStop() { this.reading = false; this.#stream.pause(); return 0; }
  write(bytes, isLatin1, done) { this.#stream.write(bytes, (error) => done(error ? -32 : 0)); return 1; }
  shutdown(done) { this.#stream.end(() => done(0)); return 0; }
  close(done) { this.#stream.destroy(); shelf.nextTick(() => done?.()); }
  get writeQueueSize() { return this.#stream.writableLength; }
  peer() { return this.#stream.remoteAddress === undefined ? undefined : { address: this.#stream.remoteAddress, family: this.#stream.remoteFamily, port: this.#stream.remotePort }; }
  local() { return undefined; }
  set() { return 0; }
  ref() { this.#stream.ref?.(); }
  unref() { this.#stream.unref?.(); }
  hasRef() { return true; }
}
shelf.tlsHandle = { TlsHandle, StreamHandle, SecureContext, createSecureContext, defaults, versions };
