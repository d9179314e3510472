#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of sockets while strace lets every few system calls fail. Interrupted ones are made
# again, and accepts for which the process lacks descriptors or memory wait: nothing may come of
# these. What else fails is told by the operation that made the call, and leaves nothing behind.
# Usage: fail_net_calls.sh TEST_NET. Exits with 77 where it cannot run.
set -u
suite=$1

command -v strace >/dev/null || { echo "skipped: strace is not installed"; exit 77; }
strace -f -o /dev/null true 2>/dev/null || { echo "skipped: ptrace is not permitted here"; exit 77; }

# run CALLS ERROR FILTER [WHEN]
run() {
    echo "$1 fail with $2: $3"
    output=$(strace -f -qq -o /dev/null -e "trace=$1" -e "inject=$1:error=$2:when=${4:-3+5}" \
        "$suite" "--gtest_filter=$3" 2>&1) || {
        echo "$output"
        exit 1
    }
}

# Not connect and not close, which do their work although they are interrupted: strace makes a call
# fail instead of doing it.
streams='Streams.*/epoll:Datagrams.*/epoll:Buffered.*/epoll:Passing.*/epoll:Soak.*/epoll'
for calls in recvfrom sendto recvmsg sendmsg sendfile accept4 poll epoll_wait,epoll_pwait,epoll_pwait2; do
    run "$calls" EINTR "$streams"
done
run sendfile EINTR 'Streams.*/uring' 1+2
run io_uring_enter EINTR 'Streams.*/uring:Datagrams.*/uring:Soak.*/uring'
for error in EMFILE ENFILE ENOMEM ENOBUFS ECONNABORTED; do
    run accept4 "$error" 'Streams.carry*/epoll:Streams.*share_a_port*/epoll:Streams.*accept*/epoll'
done

# told CALLS ERROR PLATFORM [WHEN]: the operation says so.
told() {
    GYRE_FAULT=$2
    export GYRE_FAULT
    run "$1" "$2" "NetUnderFault.every*/$3" "${4:-3+7}"
}
for platform in epoll uring; do
    for error in EMFILE ENFILE ENOMEM ENOBUFS; do told socket "$error" "$platform"; done
    told socketpair EMFILE "$platform"
    told bind ENOMEM "$platform"
    told listen ENOMEM "$platform"
    told getsockname ENOBUFS "$platform"
done
# A file is sent by a call of the loop on both. One that finds no room is made again when there is:
# a first attempt, since an edge of epoll is told once.
for platform in epoll uring; do
    told sendfile EIO "$platform" 3+5
    GYRE_FAULT=none
    run sendfile EAGAIN "NetUnderFault.every*/$platform" 1+2
done
# On io_uring these are no calls of the process.
for error in ENOMEM EIO ENOSPC; do
    told connect "$error" epoll
    told recvfrom "$error" epoll 2+5
    told sendto "$error" epoll 2+5
    told sendmsg "$error" epoll
    told recvmsg "$error" epoll
done
told accept4 EIO epoll
for error in ENOMEM ENOSPC; do told epoll_ctl "$error" epoll 4+5; done

# A close that fails has closed all the same. Before the first of these the program is loaded.
for error in EIO EINTR ENOSPC; do
    GYRE_FAULT=$error
    export GYRE_FAULT
    run close "$error" 'NetUnderFault.a_close*/epoll' 40+7
done
