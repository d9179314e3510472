// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/handlers.hpp"

namespace gyre::effect {

void throw_bad_argument(std::size_t at, const Value& value, std::string_view wanted) {
    throw ProtocolError(ErrorKind::decode_failed,
                        "argument " + std::to_string(at + 1) + " is " + name_of(value.kind()) +
                            ", where the handler takes " + std::string(wanted));
}

void Handlers::add(const OpInfo& op, std::unique_ptr<Handler> handler) {
    GYRE_ASSERT(!has(op), "%s has a handler for this signature already", op.name().c_str());
    GYRE_ASSERT(handler != nullptr, "add a handler that has a function");
    if (2 * (count_ + 1) > table_.size()) {
        std::vector<Entry> old(table_.empty() ? 16 : 2 * table_.size());
        std::swap(old, table_);
        for (Entry& entry : old) {
            if (entry.handler != nullptr) place(std::move(entry));
        }
    }
    place({op.key, op.signature, std::string(op.effect), std::string(op.op), std::move(handler)});
    ++count_;
}

void Handlers::place(Entry entry) {
    std::size_t at = entry.key & (table_.size() - 1);
    while (table_[at].handler != nullptr) at = (at + 1) & (table_.size() - 1);
    table_[at] = std::move(entry);
}

const Handlers::Entry* Handlers::find_entry(const OpInfo& op,
                                            std::uint32_t signature) const noexcept {
    if (table_.empty()) return nullptr;
    for (std::size_t at = op.key & (table_.size() - 1); table_[at].handler != nullptr;
         at = (at + 1) & (table_.size() - 1)) {
        const Entry& entry = table_[at];
        if (entry.key == op.key && entry.signature == signature && entry.effect == op.effect &&
            entry.op == op.op) {
            return &entry;
        }
    }
    return nullptr;
}

Handler* Handlers::find(const OpInfo& op) const noexcept {
    const Entry* entry = find_entry(op, op.signature);
    if (entry == nullptr && op.signature != any_signature) entry = find_entry(op, any_signature);
    return entry == nullptr ? nullptr : entry->handler.get();
}

std::unique_ptr<Handler> Handlers::exchange(const OpInfo& op, std::unique_ptr<Handler> handler) {
    const Entry* entry = find_entry(op, op.signature);
    if (entry == nullptr) entry = find_entry(op, any_signature);
    GYRE_ASSERT(entry != nullptr, "%s has no handler to exchange", op.name().c_str());
    GYRE_ASSERT(handler != nullptr, "exchange a handler for one that has a function");
    return std::exchange(table_[static_cast<std::size_t>(entry - table_.data())].handler,
                         std::move(handler));
}

bool Handlers::has_other_signature(const OpInfo& op) const noexcept {
    for (const Entry& entry : table_) {
        if (entry.handler != nullptr && entry.effect == op.effect && entry.op == op.op) return true;
    }
    return false;
}

}  // namespace gyre::effect
