// SPDX-License-Identifier: Apache-2.0
// A new ring for a forked child, which shares the old one with its parent: the requests in it are
// the parent's, and their results too.
#include <new>

#include "gyre/platform/internal/uring/uring.hpp"
#include "gyre/platform/internal/uring/uring_buffers.hpp"
#include "gyre/platform/internal/uring/uring_edges.hpp"
#include "gyre/platform/internal/uring/uring_marks.hpp"
#include "gyre/platform/internal/uring/uring_ring.hpp"

namespace gyre::platform {

std::int32_t UringPlatform::renew_system() noexcept {
    try {
        Result<std::unique_ptr<UringRing>> fresh = UringRing::make(options_);
        if (!fresh) return fresh.error().as_result();
        // Leaked: its destructor would take the buffers away from the parent's ring.
        (void)buffers_.release();
        ring_ = std::move(*fresh);
        auto edges = UringEdges::make();  // The set is the parent's too.
        if (!edges) return edges.error().as_result();
        edges_ = std::move(*edges);
    } catch (const std::bad_alloc&) {
        return failure(std::errc::not_enough_memory);
    }
    is_listening_ = false;
    is_listening_for_edges_ = false;
    has_edges_left_ = false;
    request_count_ = 0;
    descriptors_.for_each([this](UringDescriptor& descriptor) { restart(descriptor); });
    restart(nameless_);
    return 0;
}

// A file op may have taken effect in the parent: it is not repeated.
void UringPlatform::restart(UringDescriptor& descriptor) noexcept {
    HoldQueue ended;
    for (HoldQueue* list :
         {&descriptor.reads, &descriptor.writes, &descriptor.others, &descriptor.closes}) {
        list->for_each([&](Hold& hold) {
            unset(hold, is_in_edge_set);
            if (!has(hold, is_issued)) return;
            const bool is_at_an_end = has(hold, is_withdrawn) || is_file_op(hold.op().code());
            for (const UringMark mark : {is_issued, is_withdrawn, is_cancel_issued, is_polling}) {
                unset(hold, mark);
            }
            if (!is_at_an_end) return;
            links_of(hold).unlink();
            ended.push_back(hold);
        });
    }
    while (Hold* hold = ended.front()) finish(*hold, cancelled);
    resume_later(descriptor);
}

}  // namespace gyre::platform
