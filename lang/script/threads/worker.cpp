// SPDX-License-Identifier: Apache-2.0
#include "lang/script/threads/worker.hpp"

#include <utility>

#include "lang/script/script.hpp"
#include "lang/script/threads/internal/port_hub.hpp"
#include "lang/script/threads/internal/worker_event.hpp"

namespace gyre::script {
namespace {

// Bytes as a text of so many characters: what is posted to a script must be valid UTF-8.
std::string as_characters(std::string_view bytes) {
    std::string made;
    made.reserve(bytes.size());
    for (const char c : bytes) {
        const auto code = static_cast<unsigned char>(c);
        if (code < 0x80) {
            made += c;
        } else {
            made += static_cast<char>(0xc0u | (code >> 6u));
            made += static_cast<char>(0x80u | (code & 0x3fu));
        }
    }
    return made;
}

}  // namespace

Worker::Worker(WorkerOrder order, std::shared_ptr<PortHub> hub, std::shared_ptr<ThreadInbox> parent,
               double event)
    : order_(std::move(order)), hub_(std::move(hub)), parent_(std::move(parent)), event_(event) {}

void Worker::start(Script& script) {
    if (order_.is_text) return script.start_text(order_.source, order_.is_module);
    script.start_file(order_.source);
}

int Worker::run(Script& script, Loop& loop) {
    {
        const std::lock_guard lock(mutex_);
        script_ = &script;
        if (is_stopped_) script.stop(Stop::cancelled);
    }
    const int status = script.run(loop);
    const std::lock_guard lock(mutex_);
    script_ = nullptr;
    if (script.why_stopped() == Stop::memory_limit)
        parent_->put(event_, WorkerEvent::out_of_memory);
    const bool is_ended = script.why_stopped() == Stop::none || script.why_stopped() == Stop::exit;
    return is_ended ? status : 1;
}

void Worker::stop() {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    if (script_ != nullptr) script_->stop(Stop::cancelled);
}

bool Worker::is_stopped() {
    const std::lock_guard lock(mutex_);
    return is_stopped_;
}

void Worker::tell_online() {
    parent_->put(event_, WorkerEvent::online);
}

void Worker::tell_output(int stream, std::string_view bytes) {
    parent_->put(event_, stream == 2 ? WorkerEvent::error_output : WorkerEvent::output,
                 as_characters(bytes));
}

void Worker::tell_end(int status) {
    parent_->put(event_, WorkerEvent::end, std::to_string(status));
}

void Worker::tell_failure(std::string_view text) {
    parent_->put(event_, WorkerEvent::failure, std::string(text));
}

}  // namespace gyre::script
