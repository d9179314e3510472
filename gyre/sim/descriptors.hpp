// SPDX-License-Identifier: Apache-2.0
// Descriptors: the open sockets and files of a simulated process, by number, lowest free first. One
// that was passed over a socket has several numbers, and is closed with the last of them. The loops
// of the process share them, and a Watcher tells each loop's platform what changed. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gyre/base/bytes.hpp"
#include "gyre/base/result.hpp"
#include "gyre/kernel/io_ops.hpp"

namespace gyre::sim {

class ChangeQueue;
class DatagramSocket;
struct Name;

// What came of trying: a result as an op carries it, or nothing where the op must wait.
using Attempt = std::optional<std::int32_t>;

// Descriptors that travel together.
using PassedId = std::uint64_t;

// What arrived with the bytes of a receive.
struct Arrived {
    std::span<Fd> room;
    std::size_t count = 0;
    bool is_cut_off = false;  // there were more, which are closed
};

// One open socket or file. The defaults are what the system says to a call that this kind does not
// have.
class Descriptor {
public:
    Descriptor() = default;
    virtual ~Descriptor() = default;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    // None while nobody has accepted it, or while it is under way.
    [[nodiscard]] std::span<const Fd> numbers() const noexcept { return numbers_; }
    // What it is ready for now.
    [[nodiscard]] virtual Events events() const noexcept = 0;
    // The descriptor is closed: tell the other side.
    virtual void on_close() {}

    // Sockets.
    [[nodiscard]] virtual Attempt accept(Address& peer);
    // Begins to connect; when it waits, `connect_outcome` tells the end.
    [[nodiscard]] virtual Attempt connect(const Address& to);
    [[nodiscard]] virtual Attempt connect_outcome() { return std::nullopt; }
    virtual void cancel_connect() {}
    [[nodiscard]] virtual Attempt receive(Bytes into);
    [[nodiscard]] virtual Attempt send(ConstBytes from);
    // With the descriptors that travel, and those that have come.
    [[nodiscard]] virtual Attempt send_passing(ConstBytes from, std::span<const Fd> passed);
    [[nodiscard]] virtual Attempt receive_passed(Bytes into, Arrived& arrived);
    // One datagram; what a stream does with the calls for them.
    [[nodiscard]] virtual Attempt receive_from(Bytes into, Address& from, bool& is_truncated);
    [[nodiscard]] virtual Attempt send_to(ConstBytes from, const Address& to);
    [[nodiscard]] virtual DatagramSocket* as_datagram() noexcept { return nullptr; }
    [[nodiscard]] virtual Result<Address> local_address() const;
    [[nodiscard]] virtual Result<Address> remote_address() const;
    [[nodiscard]] virtual Result<void> end_sending();
    [[nodiscard]] virtual Result<void> set_stream_option(StreamOption option, int value);
    [[nodiscard]] virtual Result<int> stream_option(StreamOption option) const;

    // Files. Never wait here: the platform puts the delay before the call.
    [[nodiscard]] virtual std::int32_t read(Bytes into, std::uint64_t offset);
    [[nodiscard]] virtual std::int32_t write(ConstBytes from, std::uint64_t offset);
    [[nodiscard]] virtual std::int32_t sync();
    [[nodiscard]] virtual std::int32_t resize(std::uint64_t size_bytes);
    [[nodiscard]] virtual Name* as_file() noexcept { return nullptr; }
    [[nodiscard]] virtual ChangeQueue* as_changes() noexcept { return nullptr; }

private:
    friend class Descriptors;
    std::vector<Fd> numbers_;
};

class Watcher {
public:
    virtual void on_changed(Fd fd) = 0;  // it may be ready for something it was not ready for
    virtual void on_closed(Fd fd) = 0;   // before it is gone
    virtual void on_room() = 0;          // there are free numbers again
    virtual void on_signal(int number) = 0;

protected:
    ~Watcher() = default;
};

class Descriptors {
public:
    explicit Descriptors(int count_max);

    [[nodiscard]] bool has_room(int count = 1) const noexcept;
    // The error `too_many_files_open` when all numbers are taken.
    [[nodiscard]] Result<Fd> add(std::unique_ptr<Descriptor> descriptor);
    // Null when there is no such descriptor.
    [[nodiscard]] Descriptor* find(Fd fd) const noexcept;
    // False when there is no such descriptor.
    bool close(Fd fd);
    void close_all();
    [[nodiscard]] int count() const noexcept { return count_; }

    // Descriptors on their way stay open, whatever becomes of their numbers, until they are taken
    // or dropped. An error where a number names nothing.
    [[nodiscard]] Result<PassedId> pass(std::span<const Fd> numbers);
    void take(PassedId id, Arrived& into);
    void drop(PassedId id);

    void add_watcher(Watcher& watcher) { watchers_.push_back(&watcher); }
    void remove_watcher(Watcher& watcher) noexcept { std::erase(watchers_, &watcher); }
    void changed(const Descriptor& descriptor);
    void raise(int signal_number);

private:
    using Open = std::shared_ptr<Descriptor>;

    // Standard input, output and error are there from the start.
    static constexpr Fd first = 3;

    [[nodiscard]] Fd give_number(Open descriptor);
    void let_go(Open descriptor);

    const int count_max_;
    int count_ = 0;
    std::vector<Open> open_;
    std::map<PassedId, std::vector<Open>> under_way_;
    PassedId last_passed_ = 0;
    std::vector<Watcher*> watchers_;
};

}  // namespace gyre::sim
