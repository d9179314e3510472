// SPDX-License-Identifier: Apache-2.0
module bench_server_go

go 1.22
