// SPDX-License-Identifier: Apache-2.0
// PlainFrames: while it exists, the frames of its thread come from operator new, not from the frame
// pool, so that a simulated host's frames are in the host's memory. One a thread at a time; no frame
// of before may end while it exists.
#pragma once

namespace gyre {

class PlainFrames {
public:
    PlainFrames();
    ~PlainFrames();
    PlainFrames(const PlainFrames&) = delete;
    PlainFrames& operator=(const PlainFrames&) = delete;
};

}  // namespace gyre
