// SPDX-License-Identifier: Apache-2.0
// What packages read of http2 when they load: it is all there, and only sessions are not.
const http2 = require('http2');
console.log(Object.keys(http2));
console.log(Object.entries(http2.constants).sort().map((one) => one.join('=')).join(' '));
console.log(http2.getDefaultSettings());
const all = { headerTableSize: 10, enablePush: false, maxConcurrentStreams: 7, initialWindowSize: 2 ** 31 - 1, maxFrameSize: 16384, maxHeaderListSize: 4294967295, enableConnectProtocol: true };
const packed = http2.getPackedSettings(all);
console.log(packed.toString('hex'), http2.getUnpackedSettings(packed), http2.getPackedSettings({ maxHeaderSize: 5 }), http2.getPackedSettings());
for (const wrong of [{ enablePush: 1 }, { maxFrameSize: 5 }, { headerTableSize: -1 }, { initialWindowSize: 2 ** 31 }]) {
  try { http2.getPackedSettings(wrong); } catch (error) { console.log(error.name, error.code, error.message); }
}
try { http2.getUnpackedSettings(Buffer.alloc(5)); } catch (error) { console.log(error.name, error.code, error.message); }
try { http2.getUnpackedSettings('text'); } catch (error) { console.log(error.name, error.code, error.message); }
console.log(String(http2.sensitiveHeaders), http2.getUnpackedSettings(Buffer.from('00630000000100020000000a', 'hex')));
