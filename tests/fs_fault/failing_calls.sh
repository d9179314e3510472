#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of files and processes while strace lets every few system calls fail: with EINTR
# nothing may come of it; with the other errors each operation gives its result or that error, and
# nothing is left. Usage: failing_calls.sh TEST_FS TEST_PROCESS. Exits with 77 where it cannot run.
set -u
test_fs=$1
test_process=$2

command -v strace >/dev/null || { echo "skipped: strace is not installed"; exit 77; }
strace -f -o /dev/null true 2>/dev/null || { echo "skipped: ptrace is not permitted here"; exit 77; }

# under ERROR WHEN CALLS PROGRAM FILTER
under() {
    echo "$1 in every few calls of $3"
    output=$(GYRE_FAULT=$1 strace -f -qq -o /dev/null -e "trace=$3" \
        -e "inject=$3:error=$1:when=$2" "$4" "--gtest_filter=$5" 2>&1) || {
        echo "$output"
        exit 1
    }
}

files='UnderFault.*/epoll'
# A program opens many files before its first line; and a failed close has closed.
under EINTR 3+4 pread64,pwrite64,preadv,pwritev,fsync,rename,unlink,unlinkat,mkdir,inotify_add_watch "$test_fs" "$files"
under EINTR 30+3 openat "$test_fs" "$files"
under ENOMEM 30+3 openat "$test_fs" "$files"
under ENOMEM 3+4 mkdir,rename,inotify_add_watch "$test_fs" "$files"
under EMFILE 30+3 openat "$test_fs" "$files"
under EMFILE 2+3 inotify_init1 "$test_fs" "$files"
under ENOSPC 3+4 pwrite64,mkdir,rename,inotify_add_watch "$test_fs" "$files"
under EIO 2+3 preadv,pwritev "$test_fs" "$files"
under ENOSPC 2+3 pwritev "$test_fs" "$files"
under ENOMEM 2+3 preadv,pwritev "$test_fs" "$files"
under EIO 3+4 pread64,pwrite64,fsync,rename,unlink "$test_fs" "$files"
under EIO 3+7 getdents64,fchmod "$test_fs" "$files"

children='ChildrenUnderFault.*/epoll'
under EINTR 2+3 waitid,write "$test_process" "$children"
under EMFILE 2+3 pipe2,pidfd_open "$test_process" "$children"
under ENOMEM 2+3 clone,clone3,vfork "$test_process" "$children"
