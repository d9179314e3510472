// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/natives.hpp"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <utility>

#include "lang/script/internal/brotli_natives.hpp"
#include "lang/script/internal/byte_natives.hpp"
#include "lang/script/internal/certificates.hpp"
#include "lang/script/internal/charsets.hpp"
#include "lang/script/internal/cipher_natives.hpp"
#include "lang/script/internal/crypto_natives.hpp"
#include "lang/script/internal/dh_natives.hpp"
#include "lang/script/internal/job_trace.hpp"
#include "lang/script/internal/key_natives.hpp"
#include "lang/script/internal/signal_watch.hpp"
#include "lang/script/internal/tls_natives.hpp"
#include "lang/script/internal/url.hpp"
#include "lang/script/internal/zlib_natives.hpp"

namespace gyre::script {
namespace {

// Timers are numbered by the library, from 0 without gaps.
job::JobId& slot(std::vector<job::JobId>& ids, NativeCall& call) {
    const double number = call.number(0);
    const auto index = number >= 0 && number < 1e9 ? static_cast<std::size_t>(number) : 0;
    if (index >= ids.size()) ids.resize(index + 1);
    return ids[index];
}

void say_full(NativeCall& call) {
    call.fail("RangeError", "Too many timers are pending");
}

// The boundary between the engine's call and a member of Natives.
template <void (*function)(Script&, NativeCall&)>
void bind(void* host, NativeCall& call) {
    function(*static_cast<Script*>(host), call);
}

template <void (*function)(NativeCall&)>
void plain(void* /*host*/, NativeCall& call) {
    function(call);
}
// Of hashes and compressors, which live between calls.
template <void (*function)(NativeStates&, NativeCall&)>
void kept(void* host, NativeCall& call) {
    function(Natives::states(*static_cast<Script*>(host)), call);
}
void close_state(NativeStates& states, NativeCall& call) {
    states.close(call.number(0));
}

}  // namespace

NativeStates& Natives::states(Script& script) {
    if (script.states_ == nullptr) script.states_ = std::make_unique<NativeStates>();
    return *script.states_;
}

// setTimer(slot, milliseconds, repeats)
void Natives::set_timer(Script& script, NativeCall& call) {
    const auto number = static_cast<std::uint32_t>(call.number(0));
    auto run = [&script, number] {
        const Argument arguments[] = {static_cast<double>(number)};
        script.run_hook(Hook::run_timer, arguments);
    };
    const Duration delay = job::Scheduler::delay_of(call.number(1));
    const job::JobId id = call.truth(2) ? script.jobs_.set_interval(run, delay)
                                        : script.jobs_.set_timeout(run, delay);
    if (id == 0) return say_full(call);
    slot(script.timers_, call) = id;
}

void Natives::clear_timer(Script& script, NativeCall& call) {
    const job::JobId id = std::exchange(slot(script.timers_, call), 0);
    // In the order js2il clearInterval leaves a timeout alone.
    call.truth(1) ? script.jobs_.clear_interval(id) : script.jobs_.clear_timeout(id);
}

void Natives::ref_timer(Script& script, NativeCall& call) {
    script.jobs_.set_ref(slot(script.timers_, call), call.truth(1));
}

void Natives::refresh_timer(Script& script, NativeCall& call) {
    call.give_truth(script.jobs_.refresh(slot(script.timers_, call)));
}

// keepImmediate(number), enterImmediate(number): with the option steps of the config, for the trace.
void Natives::keep_immediate(Script& script, NativeCall& call) {
    if (script.trace_ != nullptr) script.trace_->keep_immediate(call.number(0));
}

void Natives::enter_immediate(Script& script, NativeCall& call) {
    if (script.trace_ != nullptr) script.trace_->enter_immediate(call.number(0));
}

void Natives::track_rejected(Script& script, NativeCall& call) {
    script.jobs_.track_rejected(static_cast<job::PromiseId>(call.number(0)), {});
}

void Natives::track_handled(Script& script, NativeCall& call) {
    script.jobs_.track_handled(static_cast<job::PromiseId>(call.number(0)));
}

void Natives::exit(Script& script, NativeCall& call) {
    set_status(script, call);
    script.stop(Stop::exit);
}

void Natives::set_status(Script& script, NativeCall& call) {
    script.exit_status_ = static_cast<int>(static_cast<std::int64_t>(call.number(0)) & 0xff);
}

// Milliseconds since the script began.
void Natives::now(Script& script, NativeCall& call) {
    const Instant now =
        script.options_.read_time ? script.options_.read_time() : script.clock_.now();
    call.give_number(static_cast<double>((now - script.began_at_).count()) / 1e6);
}

// write(stream, text or bytes)
void Natives::write(Script& script, NativeCall& call) {
    const int stream = static_cast<int>(call.number(0));
    const std::span<std::byte> bytes = call.bytes(1);
    if (bytes.empty()) return script.system_.write(stream, call.text(1));
    script.system_.write(stream, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void Natives::read_file(Script& script, NativeCall& call) {
    if (const auto text = script.system_.read_file(call.text(0))) call.give_text(*text);
}

void Natives::file_kind(Script& script, NativeCall& call) {
    call.give_number(static_cast<double>(script.system_.kind_of(call.text(0))));
}

void Natives::real_path(Script& script, NativeCall& call) {
    call.give_text(script.system_.real_path(call.text(0)));
}

void Natives::directory(Script& script, NativeCall& call) {
    call.give_text(script.system_.directory());
}

void Natives::change_directory(Script& script, NativeCall& call) {
    call.give_truth(script.system_.change_directory(call.text(0)));
}

// With a seed the bytes repeat: splitmix64.
void Natives::fill_random(Script& script, NativeCall& call) {
    const std::span<std::byte> bytes = call.bytes(0);
    if (!script.options_.seed) {
        if (!script.system_.fill_random(bytes)) call.fail("Error", "no random bytes");
        return;
    }
    for (std::byte& byte : bytes) {
        std::uint64_t mixed = *script.options_.seed + ++script.random_count_ * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ (mixed >> 30u)) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ (mixed >> 27u)) * 0x94d049bb133111ebu;
        byte = static_cast<std::byte>(mixed >> 56u);
    }
}

// tellStep(line), with the option steps of the config.
void Natives::tell_step(Script& script, NativeCall& call) {
    script.tell(call.text(0));
}

void Natives::memory(Script& script, NativeCall& call) {
    const MemoryUse use = script.engine_->memory();
    call.give_text("[" + std::to_string(script.system_.resident_bytes()) + "," +
                   std::to_string(use.heap_total) + "," + std::to_string(use.heap_used) + "," +
                   std::to_string(use.external) + "]");
}

void Natives::collect(Script& script, NativeCall& /*call*/) {
    script.engine_->collect_garbage();
}

// callHost(id, name, arguments as JSON): the promise `id` is settled later. False: no such name.
void Natives::call_host(Script& script, NativeCall& call) {
    const auto found = script.functions_.find(call.text(1));
    call.give_truth(found != script.functions_.end());
    if (found == script.functions_.end()) return;
    script.jobs_.hold();
    if (script.trace_ != nullptr) script.trace_->keep_call(call.number(0));
    found->second(Call(script, call.number(0), call.text(2)));
}

// callDirect(name, arguments as JSON): the value as JSON. Undefined: no such name.
void Natives::call_direct(Script& script, NativeCall& call) {
    const auto found = script.direct_functions_.find(call.text(0));
    if (found != script.direct_functions_.end()) call.give_text(found->second(call.text(1)));
}

// onInput follows in a job of its own; the loop waits for it.
void Natives::read_input(Script& script, NativeCall& /*call*/) {
    script.jobs_.hold();
    script.system_.read_input([&script](std::string text) {
        script.jobs_.post([&script, part = std::move(text)] {
            script.jobs_.release();
            const Argument arguments[] = {std::string_view(part)};
            script.run_hook(Hook::on_input, arguments);
        });
    });
}

// watchSignal(number, is it watched): 0, or the number of the error.
void Natives::watch_signal(Script& script, NativeCall& call) {
    const int number = static_cast<int>(call.number(0));
    if (!call.truth(1)) return script.signals_->stop(number);
    const bool can_be_caught = number != SIGKILL && number != SIGSTOP;
    if (!can_be_caught || !script.system_.allows_signals()) {
        return call.give_number(can_be_caught ? EPERM : EINVAL);
    }
    script.signals_->start(number);
}

// kill(process, signal): 0, or the number of the error. A signal to the process itself that the
// script listens to does not pass the system: its watch may not have reached the platform yet.
void Natives::kill(Script& script, NativeCall& call) {
    const int process = static_cast<int>(call.number(0));
    const int number = static_cast<int>(call.number(1));
    if (process == script.system_.process_id() && script.signals_->is_watched(number)) {
        return script.post_signal(number);
    }
    call.give_number(script.system_.send_signal(process, number));
}

// setPriority(process, nice value): 0, or the number of the error.
void Natives::set_priority(Script& script, NativeCall& call) {
    call.give_number(script.system_.set_priority(static_cast<int>(call.number(0)),
                                                 static_cast<int>(call.number(1))));
}

// networkInterfaces(): "NAME ADDRESS NETMASK HARDWARE-ADDRESS INTERNAL SCOPE", a line each.
void Natives::network_interfaces(Script& script, NativeCall& call) {
    std::string made;
    for (const NetworkInterface& one : script.system_.network_interfaces()) {
        if (!made.empty()) made += '\n';
        made += one.name + ' ' + one.address + ' ' + one.netmask + ' ' + one.hardware_address;
        made += (one.is_internal ? " 1 " : " 0 ") + std::to_string(one.scope);
    }
    call.give_text(made);
}

// refusal(access, what): why the script may not do this; undefined where it may.
void Natives::refusal(Script& script, NativeCall& call) {
    const auto access = static_cast<Access>(static_cast<unsigned>(call.number(0)));
    const std::string why = script.system_.refusal(access, call.text(1));
    if (!why.empty()) call.give_text(why);
}

void Natives::url_engine(Script& /*script*/, NativeCall& call) {
    call.give_text(url::is_available() ? "ada" : "");
}

// urlParse(text, base or none): the parts as lines, or undefined.
void Natives::url_parse(Script& /*script*/, NativeCall& call) {
    std::string base;
    const bool has_base = call.count() > 1;
    if (has_base) base = call.text(1);
    const auto parts =
        url::parse(call.text(0), has_base ? std::optional<std::string_view>(base) : std::nullopt);
    if (parts) call.give_text(*parts);
}

// urlUpdate(href, part, value)
void Natives::url_update(Script& /*script*/, NativeCall& call) {
    if (const auto parts = url::update(call.text(0), call.text(1), call.text(2))) {
        call.give_text(*parts);
    }
}

// urlDomain(name, to ASCII): undefined without ada.
void Natives::url_domain(Script& /*script*/, NativeCall& call) {
    const std::string name = call.text(0);
    const auto made = call.truth(1) ? url::domain_to_ascii(name) : url::domain_to_unicode(name);
    if (made) call.give_text(*made);
}

// decodeCharacter(encoding of iconv, bytes): undefined where the bytes are no character.
void Natives::decode_character(Script& script, NativeCall& call) {
    if (script.charsets_ == nullptr) script.charsets_ = std::make_unique<Charsets>();
    const auto text = script.charsets_->decode(call.text(0), call.bytes(1));
    if (text) call.give_text(*text);
}

std::span<const Native> Natives::table() noexcept {
    static constexpr Native natives[] = {
        {"setTimer", &bind<&Natives::set_timer>},
        {"clearTimer", &bind<&Natives::clear_timer>},
        {"refTimer", &bind<&Natives::ref_timer>},
        {"refreshTimer", &bind<&Natives::refresh_timer>},
        {"keepImmediate", &bind<&Natives::keep_immediate>},
        {"enterImmediate", &bind<&Natives::enter_immediate>},
        {"trackRejected", &bind<&Natives::track_rejected>},
        {"trackHandled", &bind<&Natives::track_handled>},
        {"exit", &bind<&Natives::exit>},
        {"setStatus", &bind<&Natives::set_status>},
        {"now", &bind<&Natives::now>},
        {"write", &bind<&Natives::write>},
        {"readFile", &bind<&Natives::read_file>},
        {"fileKind", &bind<&Natives::file_kind>},
        {"realPath", &bind<&Natives::real_path>},
        {"directory", &bind<&Natives::directory>},
        {"changeDirectory", &bind<&Natives::change_directory>},
        {"fillRandom", &bind<&Natives::fill_random>},
        {"tellStep", &bind<&Natives::tell_step>},
        {"memory", &bind<&Natives::memory>},
        {"collect", &bind<&Natives::collect>},
        {"callHost", &bind<&Natives::call_host>},
        {"callDirect", &bind<&Natives::call_direct>},
        {"readInput", &bind<&Natives::read_input>},
        {"watchSignal", &bind<&Natives::watch_signal>},
        {"kill", &bind<&Natives::kill>},
        {"setPriority", &bind<&Natives::set_priority>},
        {"networkInterfaces", &bind<&Natives::network_interfaces>},
        {"refusal", &bind<&Natives::refusal>},
        {"urlEngine", &bind<&Natives::url_engine>},
        {"urlParse", &bind<&Natives::url_parse>},
        {"urlUpdate", &bind<&Natives::url_update>},
        {"urlDomain", &bind<&Natives::url_domain>},
        {"bytesText", &bytes_text},
        {"bytesWrite", &bytes_write},
        {"bytesSize", &bytes_size},
        {"bytesFind", &bytes_find},
        {"bytesCompare", &bytes_compare},
        {"bytesCheck", &bytes_check},
        {"tlsContext", &kept<&tls::context>},
        {"tlsOpen", &kept<&tls::open>},
        {"tlsFeed", &kept<&tls::feed>},
        {"tlsRun", &kept<&tls::run>},
        {"tlsTake", &kept<&tls::take>},
        {"tlsWrite", &kept<&tls::write>},
        {"tlsEnd", &kept<&tls::end>},
        {"tlsUse", &kept<&tls::use>},
        {"tlsInfo", &kept<&tls::info>},
        {"brotliOpen", &kept<&brotli::open>},
        {"brotliRun", &kept<&brotli::run>},
        {"brotliMessage", &kept<&brotli::message>},
        {"brotliVersion", &plain<&brotli::version>},
        {"zlibOpen", &kept<&zlib::open>},
        {"zlibRun", &kept<&zlib::run>},
        {"zlibMessage", &kept<&zlib::message>},
        {"zlibReset", &kept<&zlib::reset>},
        {"zlibParameters", &kept<&zlib::parameters>},
        {"zlibCrc32", &plain<&zlib::crc32>},
        {"closeState", &kept<&close_state>},
        {"decodeCharacter", &bind<&Natives::decode_character>},
    };
    return natives;
}

std::span<const Native> Natives::crypto_table() noexcept {
    static constexpr Native natives[] = {
        {"dhPrime", &plain<&dh::prime>},
        {"dhPower", &plain<&dh::power>},
        {"primeMake", &plain<&dh::make_prime>},
        {"primeCheck", &plain<&dh::check_prime>},
        {"cryptoEngine", &plain<&crypto::engine>},
        {"cryptoHashes", &plain<&crypto::hash_names>},
        {"cryptoHashSize", &plain<&crypto::hash_size>},
        {"cryptoOpen", &kept<&crypto::open>},
        {"cryptoUpdate", &kept<&crypto::update>},
        {"cryptoDigest", &kept<&crypto::digest>},
        {"cryptoCopy", &kept<&crypto::copy>},
        {"cryptoPbkdf2", &plain<&crypto::pbkdf2>},
        {"cryptoScrypt", &plain<&crypto::scrypt>},
        {"cryptoEqual", &plain<&crypto::equal>},
        {"certificateRead", &plain<&certificate::read>},
        {"certificateName", &plain<&certificate::name>},
        {"certificateIssued", &plain<&certificate::issued>},
        {"certificateVerify", &kept<&certificate::verify>},
        {"certificateKey", &kept<&certificate::key>},
        {"cipherNames", &plain<&cipher::names>},
        {"cipherInfo", &plain<&cipher::info>},
        {"cipherOpen", &kept<&cipher::open>},
        {"cipherUpdate", &kept<&cipher::update>},
        {"cipherFinal", &kept<&cipher::final>},
        {"cipherAad", &kept<&cipher::aad>},
        {"cipherTag", &kept<&cipher::tag>},
        {"cipherSetTag", &kept<&cipher::set_tag>},
        {"cipherPadding", &kept<&cipher::padding>},
        {"keyRead", &kept<&key::read>},
        {"keyGenerate", &kept<&key::generate>},
        {"keyPublic", &kept<&key::public_half>},
        {"keyInfo", &kept<&key::info>},
        {"keyWrite", &kept<&key::write>},
        {"keyPart", &kept<&key::part>},
        {"keySign", &kept<&key::sign>},
        {"keyVerify", &kept<&key::verify>},
        {"keyCrypt", &kept<&key::crypt>},
        {"keyAgree", &kept<&key::agree>},
        {"keyEqual", &kept<&key::equal>},
    };
    return natives;
}

}  // namespace gyre::script
