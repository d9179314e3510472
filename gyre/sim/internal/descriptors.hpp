// SPDX-License-Identifier: Apache-2.0
// Descriptors: the descriptor table of a simulated process. A new descriptor gets the lowest free
// number. A descriptor that was passed over a socket has several numbers, and is closed with the
// last of them. All loops of the process share the table; a DescriptorObserver reports each change
// to the platform of each loop. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gyre/base/bytes.hpp"
#include "gyre/base/result.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre::sim {

class ChangeQueue;
class DatagramSocket;
class ListeningSocket;
class StreamSocket;
struct DirectoryEntry;

// The result of an op, or empty if the op must wait.
using MaybeResult = std::optional<std::int32_t>;

// Identifies the descriptors that were passed with one message (SCM_RIGHTS).
using PassedId = std::uint64_t;

// Descriptors that arrived with the bytes of a receive.
struct ReceivedFds {
    std::span<Fd> room;
    std::size_t count = 0;
    bool is_cut_off = false;  // there were more descriptors than room; the others are closed
};

// An open socket or file. The default of each function is the error of Linux for a call that this
// kind of descriptor does not have.
class Descriptor {
public:
    Descriptor() = default;
    virtual ~Descriptor() = default;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    // Empty for a connection that is not accepted yet, and while the descriptor is passed.
    [[nodiscard]] std::span<const Fd> numbers() const noexcept { return numbers_; }
    [[nodiscard]] virtual Events events() const noexcept = 0;
    // Destroyed with the descriptor.
    void keep(std::shared_ptr<void> what) noexcept { kept_ = std::move(what); }
    // The last number is closed: notify the peer.
    virtual void on_close() {}

    // Sockets.
    [[nodiscard]] virtual MaybeResult accept(Address& peer);
    // Starts to connect. If the op must wait, connect_outcome returns the result later.
    [[nodiscard]] virtual MaybeResult connect(const Address& to);
    [[nodiscard]] virtual MaybeResult connect_outcome() { return std::nullopt; }
    virtual void cancel_connect() {}
    [[nodiscard]] virtual MaybeResult receive(Bytes into);
    [[nodiscard]] virtual MaybeResult send(ConstBytes from);
    // Send and receive with descriptors as ancillary data.
    [[nodiscard]] virtual MaybeResult send_passing(ConstBytes from, std::span<const Fd> passed);
    [[nodiscard]] virtual MaybeResult receive_passed(Bytes into, ReceivedFds& arrived);
    // One datagram; by default they call `receive` and `send`.
    [[nodiscard]] virtual MaybeResult receive_from(Bytes into, Address& from, bool& is_truncated);
    [[nodiscard]] virtual MaybeResult send_to(ConstBytes from, const Address& to);
    [[nodiscard]] virtual DatagramSocket* as_datagram() noexcept { return nullptr; }
    [[nodiscard]] virtual ListeningSocket* as_listener() noexcept { return nullptr; }
    [[nodiscard]] virtual StreamSocket* as_stream() noexcept { return nullptr; }
    [[nodiscard]] virtual Result<Address> local_address() const;
    [[nodiscard]] virtual Result<Address> remote_address() const;
    [[nodiscard]] virtual Result<void> end_sending();
    [[nodiscard]] virtual Result<void> end_listening();
    [[nodiscard]] virtual Result<void> set_stream_option(StreamOption option, int value);
    [[nodiscard]] virtual Result<int> stream_option(StreamOption option) const;

    // Files. These never wait: PendingOps delays the call.
    [[nodiscard]] virtual std::int32_t read(Bytes into, std::uint64_t offset);
    [[nodiscard]] virtual std::int32_t write(ConstBytes from, std::uint64_t offset);
    [[nodiscard]] virtual std::int32_t sync();
    [[nodiscard]] virtual std::int32_t resize(std::uint64_t size_bytes);
    [[nodiscard]] virtual DirectoryEntry* as_file() noexcept { return nullptr; }
    [[nodiscard]] virtual ChangeQueue* as_changes() noexcept { return nullptr; }

private:
    friend class Descriptors;
    std::vector<Fd> numbers_;
    std::shared_ptr<void> kept_;
};

class DescriptorObserver {
public:
    virtual void on_changed(Fd fd) = 0;  // its events may have changed
    virtual void on_closed(Fd fd) = 0;   // called before the descriptor is destroyed
    virtual void on_room() = 0;          // a descriptor number is free again
    virtual void on_signal(int number) = 0;

protected:
    ~DescriptorObserver() = default;
};

class Descriptors {
public:
    explicit Descriptors(int count_max);

    [[nodiscard]] bool has_room(int count = 1) const noexcept;
    // The error `too_many_files_open` if all numbers are in use.
    [[nodiscard]] Result<Fd> add(std::unique_ptr<Descriptor> descriptor);
    // Null when the number is not open.
    [[nodiscard]] Descriptor* find(Fd fd) const noexcept;
    // False when the number is not open.
    bool close(Fd fd);
    void close_all();
    // Takes every descriptor out of the table without closing it, in the order of their numbers.
    [[nodiscard]] std::vector<std::shared_ptr<Descriptor>> take_all();
    // The limit of descriptors; the ones above it stay open.
    void set_count_max(int count_max) noexcept { count_max_ = count_max; }
    [[nodiscard]] int count() const noexcept { return count_; }

    // Passed descriptors stay open until they are taken or dropped, even when their numbers are
    // closed. An error when a number is not open.
    [[nodiscard]] Result<PassedId> pass(std::span<const Fd> numbers);
    void take(PassedId id, ReceivedFds& into);
    void drop(PassedId id);

    void add_observer(DescriptorObserver& observer) { observers_.push_back(&observer); }
    void remove_observer(DescriptorObserver& observer) noexcept {
        std::erase(observers_, &observer);
    }
    void changed(const Descriptor& descriptor);
    void raise(int signal_number);

private:
    using Open = std::shared_ptr<Descriptor>;

    // 0, 1 and 2 are standard input, output and error.
    static constexpr Fd first = 3;

    [[nodiscard]] Fd give_number(Open descriptor);
    void let_go(Open descriptor);

    int count_max_;
    int count_ = 0;
    std::vector<Open> open_;
    std::map<PassedId, std::vector<Open>> passed_;
    PassedId last_passed_id_ = 0;
    std::vector<DescriptorObserver*> observers_;
};

}  // namespace gyre::sim
