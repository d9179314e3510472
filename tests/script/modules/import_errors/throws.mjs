// SPDX-License-Identifier: Apache-2.0
throw new Error('t');
