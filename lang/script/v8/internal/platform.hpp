// SPDX-License-Identifier: Apache-2.0
// Platform: what V8 needs of the process: worker threads, the queues of tasks for the threads of
// isolates, and the time that Date shows. One for the process, made with the first engine.
// Any thread, except where said.
#pragma once

#include <libplatform/libplatform.h>
#include <v8-platform.h>
#include <v8.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "gyre/platform/process.hpp"

namespace gyre::script::v8 {

// The tasks for the thread of one isolate. Delayed tasks are hints to the collector: dropped.
class TaskQueue final : public ::v8::TaskRunner {
public:
    void PostTask(std::unique_ptr<::v8::Task> task) override;
    void PostNonNestableTask(std::unique_ptr<::v8::Task> task) override {
        PostTask(std::move(task));
    }
    void PostDelayedTask(std::unique_ptr<::v8::Task> /*task*/, double /*seconds*/) override {}
    void PostIdleTask(std::unique_ptr<::v8::IdleTask> /*task*/) override {}
    bool IdleTasksEnabled() override { return false; }
    bool NonNestableTasksEnabled() const override { return true; }

    void set_bell(std::function<void()> bell);
    // The thread of the isolate: runs the tasks that wait; true when there were some.
    bool run();
    // The isolate ends: no more tasks.
    void close();

private:
    std::mutex mutex_;
    std::deque<std::unique_ptr<::v8::Task>> tasks_;
    std::function<void()> bell_;
    bool is_closed_ = false;
};

class Platform final : public ::v8::Platform {
public:
    // Initializes V8 at the first call.
    static Platform& get();

    // Makes the queue of an isolate, before the isolate is initialized.
    std::shared_ptr<TaskQueue> add(::v8::Isolate* isolate);
    void remove(::v8::Isolate* isolate);
    // Waits until no worker has a task.
    void wait_for_workers();
    // The memory that this process may use.
    [[nodiscard]] std::uint64_t memory_bytes() const noexcept { return memory_bytes_; }
    // Of the calling thread: where Date reads the time; null: the system's clock.
    static void set_date(std::function<double()>* date) noexcept;

    int NumberOfWorkerThreads() override { return static_cast<int>(workers_.size()); }
    std::shared_ptr<::v8::TaskRunner> GetForegroundTaskRunner(::v8::Isolate* isolate) override;
    void CallOnWorkerThread(std::unique_ptr<::v8::Task> task) override;
    void CallDelayedOnWorkerThread(std::unique_ptr<::v8::Task> task, double seconds) override;
    bool IdleTasksEnabled(::v8::Isolate* /*isolate*/) override { return false; }
    std::unique_ptr<::v8::JobHandle> PostJob(::v8::TaskPriority priority,
                                             std::unique_ptr<::v8::JobTask> job) override;
    double MonotonicallyIncreasingTime() override;
    double CurrentClockTimeMillis() override;
    ::v8::TracingController* GetTracingController() override { return &tracing_; }
    ::v8::PageAllocator* GetPageAllocator() override { return base_->GetPageAllocator(); }

private:
    Platform();
    void work();

    std::unique_ptr<::v8::Platform> base_;  // V8's own: its page allocator and its clock
    ::v8::TracingController tracing_;
    const std::uint64_t memory_bytes_ = platform::usable_memory_bytes();
    std::mutex mutex_;
    std::condition_variable has_task_;
    std::condition_variable is_idle_;
    std::deque<std::unique_ptr<::v8::Task>> tasks_;
    std::size_t running_ = 0;
    std::vector<std::thread> workers_;
    std::unordered_map<::v8::Isolate*, std::shared_ptr<TaskQueue>> queues_;
};

}  // namespace gyre::script::v8
