// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/transport.hpp"

namespace gyre::actor {
namespace {

class MemoryTransport final : public Transport {
public:
    [[nodiscard]] Result<void> send(Frame frame) override {
        const std::shared_ptr<Station> other = other_.lock();
        if (other == nullptr) return std::unexpected(Error(std::errc::not_connected));
        return other->receive(std::move(frame));
    }
    void close() noexcept override {
        if (const std::shared_ptr<Station> other = other_.lock()) other->close();
    }
    void connect(const std::shared_ptr<Station>& other) { other_ = other; }

private:
    std::weak_ptr<Station> other_;  // set before the first send
};

}  // namespace

std::pair<std::shared_ptr<Station>, std::shared_ptr<Station>> connect_in_memory() {
    auto to_second = std::make_unique<MemoryTransport>();
    auto to_first = std::make_unique<MemoryTransport>();
    MemoryTransport& first_out = *to_second;
    MemoryTransport& second_out = *to_first;
    auto first = std::make_shared<Station>(std::move(to_second));
    auto second = std::make_shared<Station>(std::move(to_first));
    first_out.connect(second);
    second_out.connect(first);
    return {std::move(first), std::move(second)};
}

}  // namespace gyre::actor
