// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/descriptors.hpp"

#include <utility>

namespace gyre::sim {

Attempt Descriptor::accept(Address& /*peer*/) {
    return failure(std::errc::not_a_socket);
}
Attempt Descriptor::connect(const Address& /*to*/) {
    return failure(std::errc::not_a_socket);
}
Attempt Descriptor::receive(Bytes /*into*/) {
    return failure(std::errc::not_a_socket);
}
Attempt Descriptor::send(ConstBytes /*from*/) {
    return failure(std::errc::not_a_socket);
}
Attempt Descriptor::receive_from(Bytes into, Address& from, bool& is_truncated) {
    from = Address();
    is_truncated = false;
    return receive(into);
}
Attempt Descriptor::send_to(ConstBytes from, const Address& /*to*/) {
    return send(from);
}
Result<Address> Descriptor::remote_address() const {
    return std::unexpected(Error(std::errc::not_a_socket));
}
Result<Address> Descriptor::local_address() const {
    return std::unexpected(Error(std::errc::not_a_socket));
}
Result<void> Descriptor::end_sending() {
    return std::unexpected(Error(std::errc::not_a_socket));
}
Result<void> Descriptor::set_stream_option(StreamOption /*option*/, int /*value*/) {
    return std::unexpected(Error(std::errc::not_a_socket));
}
Result<int> Descriptor::stream_option(StreamOption /*option*/) const {
    return std::unexpected(Error(std::errc::not_a_socket));
}
std::int32_t Descriptor::read(Bytes /*into*/, std::uint64_t /*offset*/) {
    return failure(std::errc::invalid_seek);
}
std::int32_t Descriptor::write(ConstBytes /*from*/, std::uint64_t /*offset*/) {
    return failure(std::errc::invalid_seek);
}
std::int32_t Descriptor::sync() {
    return failure(std::errc::invalid_argument);
}

Descriptors::Descriptors(int count_max) : count_max_(count_max) {
    GYRE_ASSERT(count_max > first, "descriptor_count_max is %d: the lowest %d are taken", count_max,
                first);
}

bool Descriptors::has_room(int count) const noexcept {
    return count_ + count <= count_max_ - first;
}

Result<Fd> Descriptors::add(std::unique_ptr<Descriptor> descriptor) {
    if (!has_room()) return std::unexpected(Error(std::errc::too_many_files_open));
    std::size_t slot = 0;
    while (slot < open_.size() && open_[slot] != nullptr) ++slot;
    if (slot == open_.size()) open_.emplace_back();
    descriptor->fd_ = first + static_cast<Fd>(slot);
    open_[slot] = std::move(descriptor);
    ++count_;
    return open_[slot]->fd_;
}

Descriptor* Descriptors::find(Fd fd) const noexcept {
    if (fd < first || static_cast<std::size_t>(fd - first) >= open_.size()) return nullptr;
    return open_[static_cast<std::size_t>(fd - first)].get();
}

bool Descriptors::close(Fd fd) {
    if (find(fd) == nullptr) return false;
    for (Watcher* watcher : watchers_) watcher->on_closed(fd);
    const std::unique_ptr<Descriptor> gone =
        std::exchange(open_[static_cast<std::size_t>(fd - first)], nullptr);
    --count_;
    gone->fd_ = -1;
    gone->on_close();
    for (Watcher* watcher : watchers_) watcher->on_room();
    return true;
}

void Descriptors::close_all() {
    for (std::size_t slot = 0; slot < open_.size(); ++slot) close(first + static_cast<Fd>(slot));
}

void Descriptors::changed(const Descriptor& descriptor) {
    if (descriptor.fd() < 0) return;  // A connection that nobody has accepted yet.
    for (Watcher* watcher : watchers_) watcher->on_changed(descriptor.fd());
}

void Descriptors::raise(int signal_number) {
    for (Watcher* watcher : watchers_) watcher->on_signal(signal_number);
}

}  // namespace gyre::sim
