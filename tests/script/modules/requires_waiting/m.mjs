// SPDX-License-Identifier: Apache-2.0
await null; export default 4;
