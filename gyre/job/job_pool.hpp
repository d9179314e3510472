// SPDX-License-Identifier: Apache-2.0
// JobPool: the timers and immediates of a scheduler, and their ids. An id is a slot and how often
// it was taken; a slot whose count is used up is never taken again, so no id ever comes twice. Jobs
// do not move, and taking one allocates only while more are in use than ever before. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gyre/job/job.hpp"

namespace gyre::job {

class JobPool {
public:
    static constexpr unsigned slot_bits = 24;
    static constexpr unsigned generation_bits = 29;

    explicit JobPool(std::uint32_t generation_max = (1u << generation_bits) - 1) noexcept
        : generation_max_(generation_max) {}

    [[nodiscard]] static JobId id_of(const Job& job) noexcept {
        return JobId{job.generation} << slot_bits | job.slot;
    }

    // Throws std::length_error where all slots are in use.
    [[nodiscard]] Job& take(Job::Kind kind) {
        if (free_.empty()) add_chunk();
        Job& job = *free_.pop_front();
        job.kind = kind;
        return job;
    }

    // The job must be in no list.
    void put_back(Job& job) noexcept {
        job.kind = Job::Kind::none;
        job.has_ref = true;
        job.is_running = false;
        job.is_cleared = false;
        job.call.callback.reset();
        // The freshest slot first: it is in the cache.
        if (job.generation++ < generation_max_) free_.push_front(job);
    }

    // Null where the id names nothing any more.
    [[nodiscard]] Job* find(JobId id) const noexcept {
        const std::size_t slot = id & ((std::size_t{1} << slot_bits) - 1);
        if (slot / chunk_size >= chunks_.size()) return nullptr;
        Job& job = chunks_[slot / chunk_size][slot % chunk_size];
        return job.kind != Job::Kind::none && id_of(job) == id ? &job : nullptr;
    }

    template <class Visitor>
    void for_each_in_use(Visitor visit) {
        for (auto& chunk : chunks_) {
            for (std::size_t i = 0; i < chunk_size; ++i) {
                if (chunk[i].kind != Job::Kind::none) visit(chunk[i]);
            }
        }
    }

private:
    static constexpr std::size_t chunk_size = 256;

    [[gnu::cold]] void add_chunk() {
        const std::size_t first = chunks_.size() * chunk_size;
        if (first >= std::size_t{1} << slot_bits) {
            throw std::length_error("more than " + std::to_string(first) +
                                    " timers and immediates are pending: clear some first");
        }
        chunks_.push_back(std::make_unique<Job[]>(chunk_size));
        for (std::size_t i = 0; i < chunk_size; ++i) {
            Job& job = chunks_.back()[i];
            job.slot = static_cast<std::uint32_t>(first + i);
            free_.push_back(job);
        }
    }

    const std::uint32_t generation_max_;
    std::vector<std::unique_ptr<Job[]>> chunks_;
    JobQueue free_;
};

}  // namespace gyre::job
