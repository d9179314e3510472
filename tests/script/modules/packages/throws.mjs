// SPDX-License-Identifier: Apache-2.0
console.log("throwing"); throw new Error("mod err");
