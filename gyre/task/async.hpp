// SPDX-License-Identifier: Apache-2.0
// Everything that a program of tasks needs day to day, in one header. A library includes what it
// uses instead. It must compile in less than a second:
//
//     time g++ -std=c++23 -O0 -fsyntax-only -I. -x c++ gyre/task/async.hpp
#pragma once

#include "gyre/task/all.hpp"
#include "gyre/task/all_settled.hpp"
#include "gyre/task/any.hpp"
#include "gyre/task/blocking.hpp"
#include "gyre/task/cancel.hpp"
#include "gyre/task/channel.hpp"
#include "gyre/task/event.hpp"
#include "gyre/task/future.hpp"
#include "gyre/task/interval.hpp"
#include "gyre/task/keep_running.hpp"
#include "gyre/task/merge.hpp"
#include "gyre/task/mutex.hpp"
#include "gyre/task/on.hpp"
#include "gyre/task/promise.hpp"
#include "gyre/task/race.hpp"
#include "gyre/task/run.hpp"
#include "gyre/task/scope.hpp"
#include "gyre/task/semaphore.hpp"
#include "gyre/task/share.hpp"
#include "gyre/task/shield.hpp"
#include "gyre/task/sleep.hpp"
#include "gyre/task/stream.hpp"
#include "gyre/task/task_handle.hpp"
#include "gyre/task/this_task.hpp"
#include "gyre/task/thread_channel.hpp"
#include "gyre/task/timeout.hpp"
#include "gyre/task/waker.hpp"
