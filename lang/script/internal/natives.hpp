// SPDX-License-Identifier: Apache-2.0
// Natives: the functions of the host that the library calls, as host.natives. The script's thread.
#pragma once

#include <span>
#include <string>

#include "lang/script/script.hpp"

namespace gyre::script {

class NativeStates;

struct Natives {
    [[nodiscard]] static std::span<const Native> table() noexcept;
    // Of hashes, ciphers and keys.
    [[nodiscard]] static std::span<const Native> crypto_table() noexcept;
    // Text as a JSON string.
    [[nodiscard]] static std::string quoted(std::string_view text);
    [[nodiscard]] static std::string config(Script& script);

    static void set_timer(Script& script, NativeCall& call);
    static void clear_timer(Script& script, NativeCall& call);
    static void ref_timer(Script& script, NativeCall& call);
    static void refresh_timer(Script& script, NativeCall& call);
    static void keep_immediate(Script& script, NativeCall& call);
    static void enter_immediate(Script& script, NativeCall& call);
    static void track_rejected(Script& script, NativeCall& call);
    static void track_handled(Script& script, NativeCall& call);
    static void exit(Script& script, NativeCall& call);
    static void set_status(Script& script, NativeCall& call);
    static void now(Script& script, NativeCall& call);
    static void write(Script& script, NativeCall& call);
    static void read_file(Script& script, NativeCall& call);
    static void file_kind(Script& script, NativeCall& call);
    static void real_path(Script& script, NativeCall& call);
    static void directory(Script& script, NativeCall& call);
    static void change_directory(Script& script, NativeCall& call);
    static void fill_random(Script& script, NativeCall& call);
    static void tell_step(Script& script, NativeCall& call);
    static void memory(Script& script, NativeCall& call);
    static void collect(Script& script, NativeCall& call);
    static void call_host(Script& script, NativeCall& call);
    static void call_direct(Script& script, NativeCall& call);
    static void read_input(Script& script, NativeCall& call);
    static void watch_signal(Script& script, NativeCall& call);
    static void kill(Script& script, NativeCall& call);
    static void set_priority(Script& script, NativeCall& call);
    static void network_interfaces(Script& script, NativeCall& call);
    static void refusal(Script& script, NativeCall& call);
    static void url_engine(Script& script, NativeCall& call);
    static void url_parse(Script& script, NativeCall& call);
    static void url_update(Script& script, NativeCall& call);
    static void url_domain(Script& script, NativeCall& call);
    static NativeStates& states(Script& script);
    static void decode_character(Script& script, NativeCall& call);
};

}  // namespace gyre::script
