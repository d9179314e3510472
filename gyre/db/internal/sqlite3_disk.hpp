// SPDX-License-Identifier: Apache-2.0
// simulated_vfs: SQLite's files on the disk of a simulated host, so that its faults and crashes meet
// them. (In virtual time without hosts, the files are the system's.) The locks and the shared memory of a file are kept with its inode (FileCalls::shared_of_open): all
// connections of a host see them, and a crash takes them away. One thread: that of the simulation, where
// nobody can wait inside of a call, so a lock that is taken is SQLITE_BUSY at once.
#pragma once

namespace gyre {
class Platform;
}

namespace gyre::db {

// The name of the VFS for this platform; null for the system's files. SQLite keeps it to the end of the
// process: a crashed host does not give it back, and the next one on the same disk takes it over. SQLite's
// random numbers come from the seed of the simulation from now on.
[[nodiscard]] const char* simulated_vfs(Platform& platform);

}  // namespace gyre::db
