// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/handle take for granted.
#pragma once

#include "gyre/handle/folder.hpp"
#include "tests/head_examples/common.hpp"

namespace gyre::handle_examples {

using namespace gyre::handle;
extern PhasedLoop& loop;
void report(Status status);
void report(const Result<ChildEnd>& end);
void tick();
void drain_queue();
void push_to_queue();
void flush_output();
void read_all(Fd fd);

namespace child_hpp {
extern Children& children;
extern int pid;
}  // namespace child_hpp
namespace fd_poll_hpp {
extern Fd fd;
}
namespace folder_hpp {
void show(const Result<Folder::Entries>& entries);
}
namespace handle_hpp {
extern Timer& timer;
}
namespace host_requests_hpp {
void connect_to(const Result<std::vector<Address>>& found);
}
namespace phased_loop_hpp {
extern Platform* platform;
}
namespace request_hpp {
extern std::string hash;
extern std::string path;
std::string hash_file(const std::string& path);
}  // namespace request_hpp
namespace stream_handle_hpp {
extern Connect connect;
extern Write write;
}  // namespace stream_handle_hpp
namespace udp_hpp {
extern UdpSend request;
}

}  // namespace gyre::handle_examples
