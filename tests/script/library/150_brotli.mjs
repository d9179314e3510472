// SPDX-License-Identifier: Apache-2.0
// Brotli in node:zlib: whole buffers, streams, options and errors. The sizes depend on the version of the library.
import zlib, { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { promisify } from 'node:util';
import { Readable } from 'node:stream';

const text = 'the same words again and again, '.repeat(1000);
const small = brotliCompressSync(text);
console.log(small.length < 100, brotliDecompressSync(small).toString() === text);
console.log((await promisify(zlib.brotliDecompress)(await promisify(zlib.brotliCompress)(Buffer.from(text)))).length);
for (const quality of [0, 5, 11]) {
  const made = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 16, [constants.BROTLI_PARAM_SIZE_HINT]: text.length } });
  console.log(quality, brotliDecompressSync(made).equals(Buffer.from(text)));
}
console.log(brotliDecompressSync(Buffer.from('CwSAaGVsbG8D', 'base64')).toString(), brotliDecompressSync(brotliCompressSync('')).length);

// Streams, in pieces.
const pieces = [];
for await (const piece of Readable.from([text.slice(0, 10), text.slice(10)]).pipe(zlib.createBrotliCompress()).pipe(zlib.createBrotliDecompress())) pieces.push(piece);
console.log(Buffer.concat(pieces).toString() === text);
// A flush gives all that was written.
const stream = zlib.createBrotliCompress();
const decoder = zlib.createBrotliDecompress();
stream.pipe(decoder);
stream.write('first');
stream.flush(constants.BROTLI_OPERATION_FLUSH);
console.log(String(await new Promise((done) => decoder.once('data', done))));
stream.end('second');
console.log(String(await new Promise((done) => decoder.once('data', done))));

// Errors.
const attempt = (body) => { try { return body(); } catch (error) { return `${error.name} ${error.code} ${error.errno} ${error.message}`; } };
console.log(attempt(() => brotliDecompressSync(small.subarray(0, 10))));
console.log(attempt(() => brotliDecompressSync(Buffer.from('not Brotli at all'))));
console.log(attempt(() => brotliCompressSync(text, { params: { 99: 1 } })));
console.log(attempt(() => brotliCompressSync(text, { params: { 1: '11' } })));
console.log(attempt(() => brotliCompressSync(text, { params: { 1: 12 } })));
console.log(attempt(() => brotliCompressSync(text, { flush: 9 })));
console.log(attempt(() => brotliCompressSync(5)));
console.log(attempt(() => brotliDecompressSync(small, { maxOutputLength: 64 })));
zlib.createBrotliDecompress().on('error', (error) => console.log(error.code, error.message)).end(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff]));
