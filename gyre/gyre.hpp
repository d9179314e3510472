// SPDX-License-Identifier: Apache-2.0
// What most programs include: tasks and all that they await, sockets, files, processes, actors.
// Modules with an optional dependency (gyre/http, gyre/tls) and those that few programs need
// (gyre/kernel, gyre/handle, gyre/job, gyre/effect, gyre/sim) have headers of their own;
// docs/headers.md lists them all.
//
//     #include <gyre/gyre.hpp>
//
// Thread: see each header.
// Lifetime: see each header.
#pragma once

#include "gyre/base/detail/compiler.hpp"  // first: it says what is missing

#include "gyre/actor/actor.hpp"
#include "gyre/actor/system.hpp"
#include "gyre/app/run.hpp"
#include "gyre/app/runtime.hpp"
#include "gyre/base/log.hpp"
#include "gyre/base/random.hpp"
#include "gyre/base/version.hpp"
#include "gyre/fs/file.hpp"
#include "gyre/fs/temporary.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/watch.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/net/buffered.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/datagram.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/resolver.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/pools.hpp"
#include "gyre/process/process.hpp"
#include "gyre/process/signals.hpp"
#include "gyre/task/async.hpp"
