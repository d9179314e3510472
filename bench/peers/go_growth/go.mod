// SPDX-License-Identifier: Apache-2.0
module bench_peer_go_growth

go 1.22
