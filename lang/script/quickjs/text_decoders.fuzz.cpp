// SPDX-License-Identifier: Apache-2.0
// Fuzz target: TextDecoder of every encoding that the library decodes by itself. Of any bytes it makes
// well-formed text, the same in pieces as at once, and again by the same decoder; a fatal decoder throws
// only where the text has a replacement character. The first byte chooses the encoding, the second one
// the pieces. One script decodes all inputs.
#include <cstdint>
#include <span>
#include <string_view>

#include "lang/script/quickjs/fed_script.test.hpp"

namespace gyre::script {
namespace {

constexpr std::size_t input_bytes_max = 4096;

constexpr std::string_view program = R"js(
const labels = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'koi8-r', 'gbk', 'gb18030', 'big5', 'euc-jp',
                'shift_jis', 'euc-kr', 'iso-2022-jp'];
const expect = (truth, rule) => { if (!truth) throw new Error(rule); };
function decodeFatally(label, bytes) {
  try { return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes); } catch (error) {
    expect(error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA', error.stack);
    return undefined;
  }
}
function check(label, width, bytes) {
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  const whole = decoder.decode(bytes);
  expect(whole.isWellFormed() || label.startsWith('utf-16'), 'the text is well-formed');
  expect(whole.length <= bytes.length + 1, 'a text is no longer than its bytes');
  let parts = '';
  for (let at = 0; at < bytes.length; at += width) parts += decoder.decode(bytes.subarray(at, at + width), { stream: true });
  parts += decoder.decode();
  expect(parts === whole, 'pieces give the same text');
  expect(decoder.decode(bytes) === whole, 'a decoder can be used again');
  const strict = decodeFatally(label, bytes);
  expect(strict === undefined ? whole.includes('\ufffd') : strict === whole, 'a fatal decoder gives the text or throws');
}
for (;;) {
  const [label, width, ...bytes] = await gyre.call('next');
  check(labels[label % labels.length], width % 16 + 1, Uint8Array.from(bytes));
  gyre.callDirect('done');
}
)js";

}  // namespace
}  // namespace gyre::script

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static auto& decoders = *new gyre::script::FedScript(gyre::script::program);
    const std::span input(data, size);
    if (size >= 2 && size <= gyre::script::input_bytes_max) decoders.check(input);
    return 0;
}
