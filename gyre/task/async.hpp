// SPDX-License-Identifier: Apache-2.0
// Everything that a program of tasks needs day to day, in one header; a library includes what it
// uses instead. It must compile in less than a second: tools/header_time measures it.
//
//     #include <gyre/task/async.hpp>
//
// Thread: see each header.
// Lifetime: see each header.
#pragma once

#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/race.hpp"
#include "gyre/task/combine/select.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/awaitable.hpp"
#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/future.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/run.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/core/task_handle.hpp"
#include "gyre/task/stream/merge.hpp"
#include "gyre/task/stream/stream.hpp"
#include "gyre/task/sync/channel.hpp"
#include "gyre/task/sync/event.hpp"
#include "gyre/task/sync/semaphore.hpp"
#include "gyre/task/thread/blocking.hpp"
#include "gyre/task/thread/canceller.hpp"
#include "gyre/task/thread/on.hpp"
#include "gyre/task/thread/thread_channel.hpp"
#include "gyre/task/thread/waker.hpp"
