// What does it cost to authenticate one request? CPU time on one thread, signing key kept; beside
// it the two hashes that nobody can do without (SHA-256 of the canonical request, HMAC of the
// string to sign).
import { AwsV4Signer } from 'aws4fetch';
import { createKeyedHash, sha256Hex } from '../src/crypto/hash.ts';
import type { AccountId } from '../src/domain/nouns.ts';
import { newRequestNotes } from '../src/http/observe/request-notes.ts';
import type { HttpRequest } from '../src/http/request.ts';
import { createAuthenticator } from '../src/http/s3/signature/authenticate.ts';
import { median, printTable } from './lib/table.ts';

const ROUNDS = 9;
const CALLS = 50_000;
const SECRET = 'bench-secret-bench-secret';
const PATH = '/photos/2026/11/cat-picture.jpg';

/** A request as the Node platform would give it, signed now. */
async function signedRequest(
  signQuery: boolean,
  headers: Record<string, string>,
): Promise<HttpRequest> {
  const signer = new AwsV4Signer({
    url: `http://127.0.0.1:9000${PATH}`,
    headers,
    accessKeyId: 'BENCHBENCHBENCHBENCH',
    secretAccessKey: SECRET,
    service: 's3',
    region: 'auto',
    signQuery,
  });
  const signed = await signer.sign();
  const sent: Record<string, string> = {
    host: '127.0.0.1:9000',
    ...Object.fromEntries(signed.headers),
  };
  return makeRequest(sent, signed.url.search.slice(1));
}

function makeRequest(headers: Record<string, string>, rawQuery: string): HttpRequest {
  return {
    method: 'GET',
    rawPath: PATH,
    rawQuery,
    host: headers.host ?? '',
    isSecure: false,
    remoteAddress: null,
    header: (name) => headers[name] ?? null,
    headerNames: () => Object.keys(headers),
    body: () => ({ lengthBytes: 0, pump: async () => {} }),
    notes: newRequestNotes(),
    onSent: (report) => report({ protocol: 'HTTP/1.1', bodyBytes: null, isWhole: null }),
  };
}

function cpuMicros(work: () => void): number {
  const before = process.cpuUsage();
  for (let call = 0; call < CALLS; call++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

const account = { id: 'bench' as AccountId, displayName: 'bench' };
const { authenticate } = createAuthenticator({
  findAccessKey: (id) => ({ id, secret: SECRET, account }),
  nowMs: () => Date.now(),
  region: 'auto',
  isSignatureV2On: true,
  ownHosts: [],
});
const key = createKeyedHash(new TextEncoder().encode(SECRET));
const sdkHeaders = {
  'amz-sdk-invocation-id': '3a1d2f3c-1111-2222-3333-444455556666',
  'amz-sdk-request': 'attempt=1; max=3',
  'x-amz-checksum-mode': 'ENABLED',
  'x-amz-user-agent': 'aws-sdk-js/3.1169.0',
};
const plain = await signedRequest(false, {});
const sdk = await signedRequest(false, sdkHeaders);
const presigned = await signedRequest(true, {});
const anonymous = makeRequest({ host: '127.0.0.1:9000' }, '');
const text = 'x'.repeat(140);
const scenarios: readonly (readonly [string, () => void])[] = [
  ['the two hashes alone', () => void key(sha256Hex(text + text))],
  ['signed in the header, 3 headers signed', () => void authenticate(plain)],
  ['signed in the header as by the SDK, 7 signed', () => void authenticate(sdk)],
  ['presigned', () => void authenticate(presigned)],
  ['anonymous', () => void authenticate(anonymous)],
];

const results = scenarios.map(() => [] as number[]);
for (const [, work] of scenarios) cpuMicros(work);
for (let round = 0; round < ROUNDS; round++) {
  for (const [index, [, work]] of scenarios.entries()) results[index]?.push(cpuMicros(work));
}
printTable([
  ['request', 'CPU µs, median', 'CPU µs, least'],
  ...scenarios.map(([name], index) => {
    const micros = results[index] ?? [];
    return [name, median(micros).toFixed(2), Math.min(...micros).toFixed(2)];
  }),
]);
