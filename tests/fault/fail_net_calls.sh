#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of sockets while strace lets every few system calls fail: interrupted ones on both
# platforms, and accepts for which the process lacks descriptors or memory. Nothing may come of it:
# the first are made again, and the accepts wait. Usage: fail_net_calls.sh TEST_NET. Exits with 77
# where it cannot run.
set -u
suite=$1

command -v strace >/dev/null || { echo "skipped: strace is not installed"; exit 77; }
strace -f -o /dev/null true 2>/dev/null || { echo "skipped: ptrace is not permitted here"; exit 77; }

# run CALLS ERROR FILTER
run() {
    echo "$1 fail with $2: $3"
    output=$(strace -f -qq -o /dev/null -e "trace=$1" -e "inject=$1:error=$2:when=3+5" \
        "$suite" "--gtest_filter=$3" 2>&1) || {
        echo "$output"
        exit 1
    }
}

# Not connect and not close, which do their work although they are interrupted: strace makes a call
# fail instead of doing it.
streams='Streams.*/epoll:Datagrams.*/epoll:Buffered.*/epoll:Passing.*/epoll:Soak.*/epoll'
for calls in recvfrom sendto recvmsg sendmsg accept4 poll epoll_wait,epoll_pwait,epoll_pwait2; do
    run "$calls" EINTR "$streams"
done
run io_uring_enter EINTR 'Streams.*/uring:Datagrams.*/uring:Soak.*/uring'
for error in EMFILE ENFILE ENOMEM ENOBUFS ECONNABORTED; do
    run accept4 "$error" 'Streams.carry*/epoll:Streams.*share_a_port*/epoll:Streams.*accept*/epoll'
done
