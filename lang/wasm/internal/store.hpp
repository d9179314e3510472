// SPDX-License-Identifier: Apache-2.0
// Store: one instance of a module, and what its host keeps beside it: buffers in the module's memory, the exports of the
// protocol, and the callbacks that the module has retained. A run has one of its own, or shares it with others
// (GuestOptions::shares_store, and runs of a callback). The scheduler's thread.
//
// One call at a time is inside of the instance. While a call is preempted, or waits in an import, `inside` is its strand: another
// one waits or fails, and references that are released meanwhile are kept until it has ended.
//
// The memory of a module belongs to its host: [0, B) and [B, 2B) for functions that are called with frames,
// at 2B the table of handles, after it a buffer for each task that is inside of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/effect/guest.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/internal/callbacks.hpp"
#include "lang/wasm/internal/session.hpp"

namespace gyre::wasm {

class WasmGuest::Store {
public:
    struct Functions {
        Instance::Function status, length, continuation, resume, resume_raw, end_raw, encode;
        bool has_raw = false;  // resume_raw and encode
        bool has_end_raw = false;
    };
    // A part of the module's memory.
    struct Buffer {
        std::size_t at = 0;
        std::size_t size = 0;
    };

    // `first_run` is the run that makes it.
    Store(WasmGuest& guest, effect::RunId first_run);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    [[nodiscard]] Instance& instance() noexcept { return *instance_; }
    [[nodiscard]] const Functions& functions() const noexcept { return functions_; }
    [[nodiscard]] std::size_t buffer_size() const noexcept { return buffer_size_; }
    [[nodiscard]] Callbacks& callbacks() noexcept { return callbacks_; }

    // After the instance was made: finds what the protocol calls, and tells the module the handles of its ops.
    void set_up();
    [[nodiscard]] bool is_set_up() const noexcept { return is_set_up_; }
    // Throws a ProtocolError where the module has no such export.
    [[nodiscard]] Instance::Function need(std::string_view name);

    // A buffer of at least this size, up to the limit, in place of the old one.
    [[nodiscard]] Buffer reserve(Buffer old, std::size_t size);
    void free(Buffer buffer) { free_buffers_.push_back(buffer); }
    // Copies a frame into the memory, and shows it to on_frame.
    void write_frame(std::size_t at, std::string_view frame);
    [[nodiscard]] std::string_view memory_at(std::size_t offset, std::size_t size);

    void release(Ref reference) noexcept;
    // A call has ended.
    void release_late() noexcept;
    // A trap may have left a message: then it is a panic.
    [[noreturn]] void rethrow_with_panic(const std::exception_ptr& thrown);

    // The call that the instance is in: set while it runs.
    struct Active {
        effect::TaskHost* tasks = nullptr;
        Session* session = nullptr;
        Session::Strand* strand = nullptr;
    };
    Active active;
    Session::Strand* inside = nullptr;

private:
    void find_functions();
    // store_imports.cpp
    [[nodiscard]] std::vector<HostImport> make_imports(effect::RunId first_run);
    [[nodiscard]] HostImport handled_import(const HandledImport& import, const effect::OpInfo& op);
    [[nodiscard]] HostFunction task_import(const Item& item);
    [[nodiscard]] HostFunction spawner(effect::TaskHost::Spawn how, std::string starter);
    [[nodiscard]] HostFunction external_import(const Item& item);
    [[nodiscard]] HostFunction external_call(const ExternalFunction& needed,
                                             const ExternalCall& call);
    [[nodiscard]] HostFunction callback_import(const Item& item);
    [[nodiscard]] HostFunction scope_import(const Item& item);

    WasmGuest& guest_;
    const Program& program_;
    const GuestOptions& options_;
    const std::size_t buffer_size_;
    Callbacks callbacks_;
    std::unique_ptr<Instance> instance_;
    Functions functions_{};
    bool is_set_up_ = false;
    std::size_t buffers_end_ = 0;
    std::vector<Buffer> free_buffers_;
    std::vector<Ref> released_;  // while a call was preempted
};

}  // namespace gyre::wasm
