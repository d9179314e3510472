// SPDX-License-Identifier: Apache-2.0
// crypto.X509Certificate: what a certificate says, of whom it is, and whose signature it has. The
// certificates and keys were made for this test.
const { X509Certificate, createPrivateKey, createPublicKey, generateKeyPairSync } = require('crypto');
const authority = `-----BEGIN CERTIFICATE-----
MIICFTCCAZygAwIBAgIUQ47AyMqPkQ17tBIzXhhB4DxaqcswCgYIKoZIzj0EAwIw
OTELMAkGA1UEBhMCREUxEjAQBgNVBAoMCVNvbWUsIE9yZzEWMBQGA1UEAwwNdGhl
IGF1dGhvcml0eTAgFw0yNjExMTkxOTQ2MDRaGA8yMDgxMDgyMjE5NDYwNFowOTEL
MAkGA1UEBhMCREUxEjAQBgNVBAoMCVNvbWUsIE9yZzEWMBQGA1UEAwwNdGhlIGF1
dGhvcml0eTB2MBAGByqGSM49AgEGBSuBBAAiA2IABDq686sNdhI9tiukb5zBQj4u
m0m4muKFTaaQ930GTplCQ67zL7Chu3EiqzFN3J2kBWcHUOrXh5HVMWYpOiV5qaYo
TpkSkrN4CBXyC69repVvft0knJWstslcsgWECf+X/qNjMGEwHQYDVR0OBBYEFLBe
iYAEvY02Me7slP2NWHSx/V6xMB8GA1UdIwQYMBaAFLBeiYAEvY02Me7slP2NWHSx
/V6xMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMC
A2cAMGQCMG9oZS4PmUKy4Zd7aPErP53Xo7EaHpSGfQiguTAowyzAZ4Uz1wyco216
Q0zY/v73WgIwVNkavYlWlgcvuIOfDFRW5w3kb6v7DbVjAF3zZOIkgwFJOb08XEgg
0wdXKaMYd4/8
-----END CERTIFICATE-----
`;
const leaf = `-----BEGIN CERTIFICATE-----
MIIDaDCCAu6gAwIBAgIUEZopetBoRDEHwYVs4402ntTuLz0wCgYIKoZIzj0EAwIw
OTELMAkGA1UEBhMCREUxEjAQBgNVBAoMCVNvbWUsIE9yZzEWMBQGA1UEAwwNdGhl
IGF1dGhvcml0eTAgFw0yNjExMTkxOTQ2MDZaGA8yMDc4MTEyNjE5NDYwNlowMDES
MBAGA1UEAwwJbG9jYWxob3N0MRowGAYJKoZIhvcNAQkBFgthQGIuZXhhbXBsZTCC
ASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBALOT6mzUeyA89/qvjvk/wZsW
hgvWdmkyIQP1CrrBOygqYgpShIYe4/m6vlZpSMQAKT2+oYArcOr52uEEclguodd7
lHHa/GdGtR3CaLSP8eXViFsZRkfTTpqWrhTUIZIbN1wu5r9895xOHCog4pz3Y5tr
LoRNmdclstCi489Uu7Vry3SpigArZ8tiuegbnJcBs4UHIO7NFly01iBjIhmUQmnw
IZ/7gnH5KTKZnVB40YtLYzC6dHEQJG295Enx3g20zJEq10KHOyCdgBlun1jamGGF
8UJyH1zzii6zwNwVeHgqcFJGJSp+miN4C3KNnBVmuxkSujlU5kzT6Mt6Gf6fdFcC
AwEAAaOCAQ4wggEKMFMGA1UdEQRMMEqCCWxvY2FsaG9zdIINKi5leGFtcGxlLm9y
Z4cEfwAAAYcQAAAAAAAAAAAAAAAAAAAAAYELYUBiLmV4YW1wbGWGCWh0dHA6Ly94
LzA8BggrBgEFBQcBAQQwMC4wFQYIKwYBBQUHMAGGCWh0dHA6Ly9vLzAVBggrBgEF
BQcwAoYJaHR0cDovL2MvMB0GA1UdJQQWMBQGCCsGAQUFBwMBBggrBgEFBQcDAjAL
BgNVHQ8EBAMCB4AwCQYDVR0TBAIwADAdBgNVHQ4EFgQUHryky1xqTA0tB1nFqT0+
ffyNnCwwHwYDVR0jBBgwFoAUsF6JgAS9jTYx7uyU/Y1YdLH9XrEwCgYIKoZIzj0E
AwIDaAAwZQIxAIWnyoA6TOFslSTdYjF0sQ0qCR71L2ILfx3WGtgMklgZIYjabo0w
UbuKArdaCVAJ0QIweDAnAHNTBli47WWSqi0z8DgV1nm1OFpRuxWh8+DSu03zJtAK
6HsPAw4stIV8dlmH
-----END CERTIFICATE-----
`;
const leafKey = `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCzk+ps1HsgPPf6
r475P8GbFoYL1nZpMiED9Qq6wTsoKmIKUoSGHuP5ur5WaUjEACk9vqGAK3Dq+drh
BHJYLqHXe5Rx2vxnRrUdwmi0j/Hl1YhbGUZH006alq4U1CGSGzdcLua/fPecThwq
IOKc92Obay6ETZnXJbLQouPPVLu1a8t0qYoAK2fLYrnoG5yXAbOFByDuzRZctNYg
YyIZlEJp8CGf+4Jx+SkymZ1QeNGLS2MwunRxECRtveRJ8d4NtMyRKtdChzsgnYAZ
bp9Y2phhhfFCch9c84ous8DcFXh4KnBSRiUqfpojeAtyjZwVZrsZEro5VOZM0+jL
ehn+n3RXAgMBAAECggEAFywOYz4FJ/h2Dz+5dT7diVjzXHJaE+JHZwP8VHORYfIb
deAxVZUwLw4CeD1cXwjznry13kdnagq/oarkjlhwwyYhK5KUYJyRIRFFrYxS1yjM
pY9csEamAptQRJkdk9rgiTahc91482Ro4flzBHTabOL8Z6S+ezKpdklD7YGuObnt
z5lB2y8w8ocspEni12oBsIAL+BkodmMdSnD8hQrkD8OOa+dMuIDDBKFJsuAvtCmf
9UbPsZa21xck9Thbyy7kWIzs+odJG2No8nmYl6G665RLWbmolOpq3wFTAzipzPBT
SPyAXAHpOafrWiLXxEaSpIDBLUIT9RbLZccengxnYQKBgQDZHajAdgzzeV2YATsj
Je50huuoWP7NO755ICq6SUXW+vtadt91xpSaPscCE7sJT708wJYG1I+6fjL0uVSV
7ZVJ6CFA/uPIgTuRuBXBKHX0pQC83ddi7GrwzgEv46bsiH1aUNcogk5XMqbIXQb3
dmEZF1b/QbO4N9RUN8FtaYVRbwKBgQDTvTWT8dwNyaGK5r1inh1Ie4/2rHSaZHtO
r4HBdU5yYEvA+zSchySEdNUjqHPXJ//twwYbTMC9JjG2df7oj4X8NYV+jCmAyia6
reDgvC3pTVhVaLYIOSVfweKEPVxfaHpIZiUP+awoWtXp4YhxL31hk1wZzIZSfoDy
tJ8Xq2RHmQKBgQDFgcebnUhWzJcpyiTj6oOrmXkTIjJYvPqe8XYtFK7lzFePigfp
+gYA8w7SguRoqhM6Cu/vsro1Ksxr95RM914RZ4uotra8FWP9QXr4xjfXn6q2JRDk
urDl8mD+EZguIFP4LwYroa5mgHtcVdQalaPq0WKgvkIhWRhcrIPXZmCTHQKBgGSM
y66wAkIB6Fbf8DuuvlU3aExJ5S2UXgIl0kaegFxMYm0IXhmfC7ZjDPxb+HbKJf0w
yeuY7UZlpuHw8tZZodT9TaGkyejBFtc7zzip5FuQQUx950PMb3Ujy3/k68LbCIbt
CtilRh371O22DmdBmBcINYqC157BOFcJcyt4VqyxAoGAHkchg/qHv9UZk1j2G9ne
KmMtcyY+Q2in/v8hrStbGE1lukbw1g/8Jd+C0lz+W1tq7BHz85AwU7DhebFBqat3
PlTTDgObuBSJlomeztuP/Y9rIN4c8vT4pbpCUgWaQue50VbTPokgddTlZhFiZG65
1czkdvHw3bDGHgyev71gOzM=
-----END PRIVATE KEY-----
`;
const [one, its] = [new X509Certificate(leaf), new X509Certificate(Buffer.from(authority))];
console.log(one, its);
console.log(one.toString() === leaf, one.toJSON() === leaf, one.raw, one.ca, its.ca, one.issuerCertificate);
console.log(one.toLegacyObject(), its.toLegacyObject());
console.log(one.publicKey.asymmetricKeyType, one.publicKey.asymmetricKeyDetails, its.publicKey.export({ type: 'spki', format: 'pem' }));
const names = ['localhost', 'LOCALHOST', 'a.example.org', 'a.b.example.org', 'example.org', 'x', ''];
console.log(names.map((name) => one.checkHost(name)), names.map((name) => one.checkHost(name, { wildcards: false })), names.map((name) => its.checkHost(name)));
console.log(its.checkHost('the authority'), its.checkHost('the authority', { subject: 'never' }), one.checkHost('localhost', { subject: 'always' }));
console.log(['a@b.example', 'A@b.example', 'x'].map((name) => one.checkEmail(name)), ['127.0.0.1', '::1', '1.1.1.1'].map((name) => one.checkIP(name)));
console.log(one.checkIssued(its), its.checkIssued(its), its.checkIssued(one), one.verify(its.publicKey), one.verify(one.publicKey), its.verify(its.publicKey));
console.log(one.checkPrivateKey(createPrivateKey(leafKey)), its.checkPrivateKey(createPrivateKey(leafKey)), one.checkPrivateKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey));
console.log(new X509Certificate(one.raw).fingerprint === one.fingerprint, new X509Certificate(new Uint8Array(one.raw)).serialNumber === one.serialNumber, createPublicKey(leaf).equals(one.publicKey));
const attempts = [
  () => new X509Certificate('text'), () => new X509Certificate(5), () => new X509Certificate(Buffer.alloc(20)), () => new X509Certificate(leaf.replace('MII', 'AAA')),
  () => one.checkHost(5), () => one.checkHost('x', { subject: 'none' }), () => one.checkHost('x', { wildcards: 1 }), () => one.checkEmail(), () => one.checkIP({}),
  () => one.checkIssued(5), () => one.verify(5), () => one.verify(createPrivateKey(leafKey)), () => one.checkPrivateKey(its.publicKey),
];
for (const attempt of attempts) {
  try { console.log(attempt()); } catch (error) { console.log(error.name, error.code, error.message.replace(/KeyObject\] \{[^]*$/, 'KeyObject]')); }
}
