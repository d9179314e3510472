// SPDX-License-Identifier: Apache-2.0
// Bytes of a store that were cut or changed: an error, or an entry that is written as the same bytes. With a
// right checksum in front of the rest, so that the fuzzer comes behind it.
#include <cstddef>
#include <cstdint>
#include <span>

#include "gyre/base/assert.hpp"
#include "gyre/durable/error.hpp"
#include "gyre/durable/internal/entry_bytes.hpp"

using namespace gyre;

namespace {

constexpr std::int64_t run = 7;
constexpr std::int64_t number = 3;

void check_entry(ConstBytes bytes) {
    try {
        const effect::JournalEntry entry = durable::entry_from(bytes, run, number);
        const db::Blob again = durable::bytes_of(entry, run, number);
        const effect::JournalEntry same = durable::entry_from(again, run, number);
        GYRE_ASSERT(durable::bytes_of(same, run, number) == again, "an entry has one form");
    } catch (const durable::DurableError& e) {
        GYRE_ASSERT(e.kind() == durable::DurableError::Kind::damaged, "wrong bytes are damage");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ConstBytes bytes = std::as_bytes(std::span(data, size));
    check_entry(bytes);
    const db::Blob sealed = durable::sealed(db::Blob(bytes.begin(), bytes.end()), run, number);
    check_entry(sealed);
    try {
        static_cast<void>(durable::value_from(bytes));
    } catch (const durable::DurableError&) {
    }
    try {
        static_cast<void>(durable::arguments_from(bytes));
    } catch (const durable::DurableError&) {
    }
    return 0;
}
