// SPDX-License-Identifier: Apache-2.0
// Classic Diffie-Hellman, and primes.
const crypto = require('crypto');
const attempt = (body) => { try { return body(); } catch (error) { return `${error.name} ${error.code}`; } };
for (const name of ['modp1', 'modp5', 'modp14']) {
  const [alice, bob] = [crypto.getDiffieHellman(name), crypto.createDiffieHellmanGroup(name)];
  alice.generateKeys();
  bob.generateKeys();
  const secret = alice.computeSecret(bob.getPublicKey());
  console.log(name, secret.equals(bob.computeSecret(alice.getPublicKey())), secret.length, alice.getGenerator('hex'), alice.getPrime('hex').slice(16, 48), alice.verifyError, typeof alice.setPublicKey);
}
// With numbers that are known.
const one = crypto.createDiffieHellman('ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404ddef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a63a3620ffffffffffffffff', 'hex');
one.setPrivateKey('03', 'hex');
console.log(one.generateKeys('hex').replace(/^0+/, ''), one.getPrivateKey('hex'), one.computeSecret('05', 'hex', 'hex').replace(/^0+/, ''), one.verifyError);
for (const bad of ['00', '01']) console.log(attempt(() => one.computeSecret(bad, 'hex')));
console.log(attempt(() => crypto.getDiffieHellman('modp99')), attempt(() => crypto.createDiffieHellman(13.5)), attempt(() => crypto.createDiffieHellman({})), attempt(() => crypto.createDiffieHellman('ffff', 'hex', 1)), attempt(() => crypto.createDiffieHellman(64)));
console.log(attempt(() => crypto.getDiffieHellman('modp5').getPublicKey()));

for (const size of [3, 16, 65]) {
  const prime = crypto.generatePrimeSync(size, { bigint: true });
  console.log(size, prime.toString(2).length, crypto.checkPrimeSync(prime), crypto.generatePrimeSync(size).byteLength);
}
const stepped = crypto.generatePrimeSync(32, { bigint: true, add: 12n, rem: 11n });
console.log(stepped % 12n, crypto.checkPrimeSync(crypto.generatePrimeSync(32, { safe: true })));
for (const number of [0n, 1n, 2n, 4n, 97n, 561n, 2n ** 127n - 1n, 2n ** 128n - 1n]) console.log(number, crypto.checkPrimeSync(number));
console.log(crypto.checkPrimeSync(Buffer.of(1, 1)), attempt(() => crypto.checkPrimeSync(-1n)), attempt(() => crypto.checkPrimeSync('5')), attempt(() => crypto.generatePrimeSync(0)));
console.log(attempt(() => crypto.generatePrimeSync(8, { add: 2n ** 20n })), attempt(() => crypto.generatePrimeSync(32, { add: 5n, rem: 7n })));
crypto.checkPrime(7n, (error, result) => {
  console.log(error, result);
  crypto.generatePrime(16, { bigint: true }, (failure, prime) => console.log(failure, crypto.checkPrimeSync(prime)));
});
