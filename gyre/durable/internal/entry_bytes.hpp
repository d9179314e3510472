// SPDX-License-Identifier: Apache-2.0
// entry_bytes: journal entries, values and arguments as bytes, and back. The bytes of an entry are sealed
// with a checksum over its run and number too, so that a row that was changed, cut or moved is noticed.
// Wrong bytes throw a DurableError (damaged).
#pragma once

#include <cstdint>

#include "gyre/base/bytes.hpp"
#include "gyre/db/value.hpp"
#include "gyre/effect/journal.hpp"

namespace gyre::durable {

inline constexpr unsigned value_depth_max = 128;

[[nodiscard]] db::Blob bytes_of(const effect::Value& value);
[[nodiscard]] effect::Value value_from(ConstBytes bytes);
[[nodiscard]] db::Blob bytes_of(const effect::Arguments& arguments);
[[nodiscard]] effect::Arguments arguments_from(ConstBytes bytes);
[[nodiscard]] db::Blob bytes_of(const effect::JournalEntry& entry, std::int64_t run,
                                std::int64_t number);
// The same bytes with their checksum behind them.
[[nodiscard]] db::Blob sealed(db::Blob bytes, std::int64_t run, std::int64_t number);
[[nodiscard]] effect::JournalEntry entry_from(ConstBytes bytes, std::int64_t run,
                                              std::int64_t number);

}  // namespace gyre::durable
