// SPDX-License-Identifier: Apache-2.0
#include "lang/script/v8/internal/platform.hpp"

#include <algorithm>
#include <utility>

namespace gyre::script::v8 {
namespace {

constexpr unsigned worker_count_max = 4;
thread_local std::function<double()>* date_of_thread = nullptr;

}  // namespace

void TaskQueue::PostTask(std::unique_ptr<::v8::Task> task) {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return;
    tasks_.push_back(std::move(task));
    if (bell_) bell_();
}

void TaskQueue::set_bell(std::function<void()> bell) {
    const std::lock_guard lock(mutex_);
    bell_ = std::move(bell);
    if (bell_ && !tasks_.empty()) bell_();
}

bool TaskQueue::run() {
    std::deque<std::unique_ptr<::v8::Task>> present;
    {
        const std::lock_guard lock(mutex_);
        present.swap(tasks_);
    }
    for (auto& task : present) task->Run();
    return !present.empty();
}

void TaskQueue::close() {
    std::deque<std::unique_ptr<::v8::Task>> dropped;
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    bell_ = nullptr;
    dropped.swap(tasks_);
}

// Never destroyed: V8's threads use it until the process ends.
Platform& Platform::get() {
    static Platform* const platform = [] {
        auto* made = new Platform();
        // Flags are the process's: set before there is a second isolate.
        ::v8::V8::SetFlagsFromString("--harmony-import-assertions");
        ::v8::V8::InitializePlatform(made);
        ::v8::V8::Initialize();
        return made;
    }();
    return *platform;
}

Platform::Platform() : base_(::v8::platform::NewSingleThreadedDefaultPlatform()) {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < std::min(cores, worker_count_max); ++i) {
        workers_.emplace_back([this] { work(); });
        workers_.back().detach();
    }
}

void Platform::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        has_task_.wait(lock, [this] { return !tasks_.empty(); });
        std::unique_ptr<::v8::Task> task = std::move(tasks_.front());
        tasks_.pop_front();
        ++running_;
        lock.unlock();
        task->Run();
        task.reset();
        lock.lock();
        --running_;
        if (running_ == 0 && tasks_.empty()) is_idle_.notify_all();
    }
}

void Platform::wait_for_workers() {
    std::unique_lock lock(mutex_);
    is_idle_.wait(lock, [this] { return running_ == 0 && tasks_.empty(); });
}

std::shared_ptr<TaskQueue> Platform::add(::v8::Isolate* isolate) {
    const std::lock_guard lock(mutex_);
    return queues_[isolate] = std::make_shared<TaskQueue>();
}

void Platform::remove(::v8::Isolate* isolate) {
    const std::lock_guard lock(mutex_);
    queues_.erase(isolate);
}

std::shared_ptr<::v8::TaskRunner> Platform::GetForegroundTaskRunner(::v8::Isolate* isolate) {
    const std::lock_guard lock(mutex_);
    const auto found = queues_.find(isolate);
    if (found != queues_.end()) return found->second;
    auto closed = std::make_shared<TaskQueue>();
    closed->close();
    return closed;
}

void Platform::CallOnWorkerThread(std::unique_ptr<::v8::Task> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    has_task_.notify_one();
}

// Such tasks only tune V8.
void Platform::CallDelayedOnWorkerThread(std::unique_ptr<::v8::Task> /*task*/, double /*seconds*/) {
}

std::unique_ptr<::v8::JobHandle> Platform::PostJob(::v8::TaskPriority priority,
                                                   std::unique_ptr<::v8::JobTask> job) {
    return ::v8::platform::NewDefaultJobHandle(this, priority, std::move(job),
                                               static_cast<std::size_t>(NumberOfWorkerThreads()));
}

double Platform::MonotonicallyIncreasingTime() {
    return base_->MonotonicallyIncreasingTime();
}

double Platform::CurrentClockTimeMillis() {
    if (date_of_thread != nullptr && *date_of_thread) return (*date_of_thread)();
    return base_->CurrentClockTimeMillis();
}

void Platform::set_date(std::function<double()>* date) noexcept {
    date_of_thread = date;
}

}  // namespace gyre::script::v8
