// SPDX-License-Identifier: Apache-2.0
// Whole frames of the protocol between a module and its host, for fuzz targets, whose input changes them. One thread.
#pragma once

#include <string>

namespace gyre::wasm {

// Outcomes in MessagePack: an effect's request has nine elements, any other outcome four.
inline const std::string protocol_frames[] = {
    std::string("\x99\x02\x02\x00\xa1"
                "e\x00\x07\x00\x91\x92\xa1"
                "f\x01\xa1"
                "f",
                16),
    std::string("\x94\x02\x01\x05\x92\x00\x92\xa1"
                "f\x07",
                10),
    std::string("\x94\x02\x05\x02\x92\x00\x92\xa1"
                "f\x07",
                10),
    std::string("\x94\x02\x01\x05\x92\x01\x98\xa1"
                "a\xa1"
                "b\xa1"
                "c\xa1"
                "d\xa1"
                "e\xa1"
                "f\xa1"
                "g\xc0",
                23),
};

}  // namespace gyre::wasm
