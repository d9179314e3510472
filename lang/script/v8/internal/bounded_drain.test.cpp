// SPDX-License-Identifier: Apache-2.0
// The bounded drain with a full collection at every bound, which moves what the queues hold. With
// GYRE_TEST_LONG=1 400,000 jobs of each shape, otherwise a fiftieth.
#include "lang/script/v8/internal/bounded_drain.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "lang/script/v8/internal/buffers.hpp"
#include "lang/script/v8/internal/platform.hpp"

namespace gyre::script::v8 {
namespace {

int job_count() {
    return std::getenv("GYRE_TEST_LONG") != nullptr ? 400'000 : 8'000;
}

class BoundedDrains : public testing::Test {
protected:
    BoundedDrains() {
        Platform::get();
        ::v8::Isolate::CreateParams parameters;
        parameters.array_buffer_allocator = buffers_.get();
        isolate_ = ::v8::Isolate::Allocate();
        tasks_ = Platform::get().add(isolate_);
        ::v8::Isolate::Initialize(isolate_, parameters);
        const ::v8::Isolate::Scope isolate_scope(isolate_);
        const ::v8::HandleScope handles(isolate_);
        queue_ = ::v8::MicrotaskQueue::New(isolate_, ::v8::MicrotasksPolicy::kExplicit);
        context_.Reset(isolate_, ::v8::Context::New(isolate_, nullptr, {}, {}, {}, queue_.get()));
        drain_ = std::make_unique<BoundedDrain>(isolate_, queue_.get());
        drain_->set_at_bound(
            [](void* test) {
                auto* self = static_cast<BoundedDrains*>(test);
                ++self->collections_;
                self->isolate_->LowMemoryNotification();
            },
            this);
    }
    ~BoundedDrains() override {
        tasks_->close();
        {
            const ::v8::Isolate::Scope isolate_scope(isolate_);
            context_.Reset();
            drain_.reset();
            queue_.reset();
        }
        isolate_->Dispose();
        Platform::get().remove(isolate_);
    }

    // Runs a script and drains in parts of `bound`; the value of `answer` at the end.
    double answer_of(const std::string& script, std::size_t bound) {
        const ::v8::Isolate::Scope isolate_scope(isolate_);
        const ::v8::HandleScope handles(isolate_);
        const auto context = context_.Get(isolate_);
        const ::v8::Context::Scope context_scope(context);
        value_of(script, context);
        jobs_run_ = 0;
        while (drain_->pending() > 0) {
            const ::v8::HandleScope inner(isolate_);
            const std::size_t ran = drain_->run(bound);
            EXPECT_GT(ran, 0u);
            EXPECT_LE(ran, bound);
            jobs_run_ += ran;
        }
        return value_of("answer", context);
    }

    std::size_t jobs_run_ = 0;
    int collections_ = 0;

private:
    double value_of(const std::string& text, ::v8::Local<::v8::Context> context) {
        const auto source = ::v8::String::NewFromUtf8(isolate_, text.c_str()).ToLocalChecked();
        const auto value =
            ::v8::Script::Compile(context, source).ToLocalChecked()->Run(context).ToLocalChecked();
        return value->NumberValue(context).FromMaybe(-1);
    }

    std::shared_ptr<::v8::ArrayBuffer::Allocator> buffers_ = make_buffers(0);
    std::shared_ptr<TaskQueue> tasks_;
    ::v8::Isolate* isolate_ = nullptr;
    std::unique_ptr<::v8::MicrotaskQueue> queue_;
    ::v8::Global<::v8::Context> context_;
    std::unique_ptr<BoundedDrain> drain_;
};

// More jobs than the bound wait: they move to the second queue. A job that runs out of turn spoils
// the answer.
TEST_F(BoundedDrains, run_jobs_that_wait_together_in_order_across_collections) {
    const int count = job_count();
    const std::string script =
        "var answer = 0, next = 0; for (let i = 0; i < " + std::to_string(count) +
        "; i++) Promise.resolve({ i }).then((v) => { if (v.i === next++) answer += v.i; });";
    EXPECT_EQ(answer_of(script, 1024), 0.5 * count * (count - 1.0));
    EXPECT_EQ(jobs_run_, static_cast<std::size_t>(count));
    EXPECT_GE(collections_, count / 1024);
}

// Fewer jobs than the bound wait: the sentinel runs between them, and hides the rest at the bound.
TEST_F(BoundedDrains, run_chains_of_jobs_in_order_across_collections) {
    const int count = job_count();
    const int chains = 400;
    const std::string script =
        "var answer = 0, turn = 0; for (let c = 0; c < " + std::to_string(chains) +
        "; c++) (async () => { for (let i = 0; i < " + std::to_string(count / chains) +
        "; i++) { if (turn++ % " + std::to_string(chains) +
        " === c) answer++; await { then: undefined }; } })();";
    EXPECT_EQ(answer_of(script, 1000), count);
    EXPECT_EQ(jobs_run_, static_cast<std::size_t>(count));
    EXPECT_GE(collections_, count / chains / 2);
}

TEST_F(BoundedDrains, stop_at_small_bounds_too) {
    for (const std::size_t bound : {1u, 2u, 3u, 7u}) {
        const std::string script =
            "var answer = 0; for (let c = 0; c < 3; c++) (async () => { for (let i = 0; i < 20; "
            "i++) { await null; answer++; } })();";
        EXPECT_EQ(answer_of(script, bound), 60) << bound;
    }
}

}  // namespace
}  // namespace gyre::script::v8
