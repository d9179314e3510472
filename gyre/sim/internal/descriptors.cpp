// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/descriptors.hpp"

#include <utility>

namespace gyre::sim {

MaybeResult Descriptor::accept(Address& /*peer*/) {
    return failure(std::errc::not_a_socket);
}
MaybeResult Descriptor::connect(const Address& /*to*/) {
    return failure(std::errc::not_a_socket);
}
MaybeResult Descriptor::receive(Bytes /*into*/) {
    return failure(std::errc::not_a_socket);
}
MaybeResult Descriptor::send(ConstBytes /*from*/) {
    return failure(std::errc::not_a_socket);
}
// Only Unix streams pass descriptors; other kinds drop them.
MaybeResult Descriptor::send_passing(ConstBytes from, std::span<const Fd> /*passed*/) {
    return send(from);
}
MaybeResult Descriptor::receive_passed(Bytes into, ReceivedFds& /*arrived*/) {
    return receive(into);
}
MaybeResult Descriptor::receive_from(Bytes into, Address& from, bool& is_truncated) {
    from = Address();
    is_truncated = false;
    return receive(into);
}
MaybeResult Descriptor::send_to(ConstBytes from, const Address& /*to*/) {
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
Result<void> Descriptor::end_listening() {
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
std::int32_t Descriptor::resize(std::uint64_t /*size_bytes*/) {
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
    return give_number(std::move(descriptor));
}

Fd Descriptors::give_number(Open descriptor) {
    std::size_t slot = 0;
    while (slot < open_.size() && open_[slot] != nullptr) ++slot;
    if (slot == open_.size()) open_.emplace_back();
    const Fd fd = first + static_cast<Fd>(slot);
    descriptor->numbers_.push_back(fd);
    open_[slot] = std::move(descriptor);
    ++count_;
    return fd;
}

Descriptor* Descriptors::find(Fd fd) const noexcept {
    if (fd < first || static_cast<std::size_t>(fd - first) >= open_.size()) return nullptr;
    return open_[static_cast<std::size_t>(fd - first)].get();
}

bool Descriptors::close(Fd fd) {
    if (find(fd) == nullptr) return false;
    for (DescriptorObserver* observer : observers_) observer->on_closed(fd);
    Open gone = std::exchange(open_[static_cast<std::size_t>(fd - first)], nullptr);
    --count_;
    std::erase(gone->numbers_, fd);
    let_go(std::move(gone));
    for (DescriptorObserver* observer : observers_) observer->on_room();
    return true;
}

// Closes the descriptor if this is its last reference.
void Descriptors::let_go(Open descriptor) {
    if (descriptor.use_count() == 1) descriptor->on_close();
}

void Descriptors::close_all() {
    for (std::size_t slot = 0; slot < open_.size(); ++slot) close(first + static_cast<Fd>(slot));
    // A socket that was passed over itself has no number left, and is freed only here.
    while (!passed_.empty()) drop(passed_.begin()->first);
}

std::vector<std::shared_ptr<Descriptor>> Descriptors::take_all() {
    std::vector<Open> all;
    for (Open& each : std::exchange(open_, {})) {
        if (each == nullptr || each->numbers_.empty()) continue;
        each->numbers_.clear();  // It has several numbers: only the first takes it.
        all.push_back(std::move(each));
    }
    passed_.clear();
    count_ = 0;
    return all;
}

Result<PassedId> Descriptors::pass(std::span<const Fd> numbers) {
    std::vector<Open> passed;
    for (const Fd fd : numbers) {
        if (find(fd) == nullptr) return std::unexpected(Error(std::errc::bad_file_descriptor));
        passed.push_back(open_[static_cast<std::size_t>(fd - first)]);
    }
    passed_.emplace(++last_passed_id_, std::move(passed));
    return last_passed_id_;
}

void Descriptors::take(PassedId id, ReceivedFds& into) {
    for (Open& each : passed_[id]) {
        into.is_cut_off = into.is_cut_off || into.count == into.room.size() || !has_room();
        if (into.is_cut_off) break;
        into.room[into.count++] = give_number(std::move(each));
    }
    drop(id);
}

void Descriptors::drop(PassedId id) {
    const auto found = passed_.find(id);
    if (found == passed_.end()) return;
    std::vector<Open> passed = std::move(found->second);
    passed_.erase(found);
    for (Open& each : passed) {
        if (each != nullptr) let_go(std::move(each));
    }
}

void Descriptors::changed(const Descriptor& descriptor) {
    for (const Fd fd : descriptor.numbers()) {
        for (DescriptorObserver* observer : observers_) observer->on_changed(fd);
    }
}

void Descriptors::raise(int signal_number) {
    for (DescriptorObserver* observer : observers_) observer->on_signal(signal_number);
}

}  // namespace gyre::sim
