// SPDX-License-Identifier: Apache-2.0
module bench_apps_go

go 1.22
