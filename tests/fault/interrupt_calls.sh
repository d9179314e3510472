#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the suite of platforms on epoll while strace lets every few system calls fail with EINTR:
# nothing may come of it. Usage: interrupt_calls.sh TEST_PLATFORMS. Exits with 77 where it cannot run.
set -u
suite=$1

command -v strace >/dev/null || { echo "skipped: strace is not installed"; exit 77; }
strace -f -o /dev/null true 2>/dev/null || { echo "skipped: ptrace is not permitted here"; exit 77; }

# Not connect and not close, which do their work although they are interrupted: strace makes a call
# fail instead of doing it.
filter='Streams.*/epoll:*Datagram*/epoll:Connections.*/epoll:Cancelling.*/epoll:Watching.*/epoll:Files.*/epoll:SentFiles.*/epoll:Waiting.*/epoll'
for calls in recvfrom sendto recvmsg sendmsg sendfile accept4 poll epoll_wait,epoll_pwait,epoll_pwait2 pwrite64,fsync; do
    echo "interrupted: $calls"
    output=$(strace -f -qq -o /dev/null -e "trace=$calls" \
        -e "inject=$calls:error=EINTR:when=3+5" "$suite" "--gtest_filter=$filter" 2>&1) || {
        echo "$output"
        exit 1
    }
done
