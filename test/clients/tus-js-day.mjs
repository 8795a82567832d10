// A sender's day with tus-js-client: tus-js.sh runs it. Links are made by the SDK's token and the
// JSON API; what arrived is compared by the receipt, and by the object itself.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import process from 'node:process';
import { createClient } from '../../src/client/index.ts';

const require = createRequire(`${process.env.TUS_JS_FOLDER}/day.cjs`);
const tus = require('tus-js-client');
const { BUCKET: bucket, ENDPOINT: endpoint } = process.env;
const accessKey = {
  id: process.env.AWS_ACCESS_KEY_ID,
  secret: process.env.AWS_SECRET_ACCESS_KEY,
};
const byKey = createClient({ endpoint, accessKey });
const { token } = await byKey.tokens.create({ body: { name: bucket } });
await byKey.buckets.create({ body: { name: bucket } });

const MIB = 1 << 20;
const BYTES = randomBytes(12 * MIB);
writeFileSync('film.bin', BYTES);
const sha256 = createHash('sha256').update(BYTES).digest('hex');

async function sendJson(url, headers, body) {
  const text = JSON.stringify(body);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
  assert.equal(response.status, 201, await response.clone().text());
  return response.json();
}

/** A link, and a sender of it. */
async function makeDrop(settings = {}) {
  const { url } = await sendJson(
    `${endpoint}/-/api/v1/buckets/${bucket}/drop-links`,
    { authorization: `Bearer ${token}` },
    { prefix: 'in/', template: '{name}', ...settings },
  );
  const path = new URL(url).pathname;
  const { code } = await sendJson(`${endpoint}${path}/senders`, {}, {});
  const headers = { 'x-quayside-drop-code': code };
  const receipt = async () => {
    const response = await fetch(`${endpoint}${path}/receipt`, { headers });
    assert.equal(response.status, 200);
    return (await response.json()).files;
  };
  return { path, headers, receipt };
}

/** Sends a file to its end; gives the upload and what the server said of each request. */
function send({ path, headers }, { file = createReadStream('film.bin'), at = endpoint, ...more }) {
  const seen = [];
  const { promise, resolve, reject } = Promise.withResolvers();
  const upload = new tus.Upload(file, {
    endpoint: `${at}${path}/files`,
    headers,
    retryDelays: [0, 50, 100, 200, 400, 800],
    metadata: { filename: 'film.bin', filetype: 'video/mp4' },
    onAfterResponse: (request, response) =>
      void seen.push({
        method: request.getMethod(),
        status: response.getStatus(),
        expires: response.getHeader('Upload-Expires'),
      }),
    onError: reject,
    onSuccess: () => resolve(),
    ...more,
  });
  return { upload, seen, done: promise };
}

const methodsOf = (seen) => seen.map(({ method, status }) => `${method} ${status}`);

/** A line that carries so many bytes of a connection to the server, and breaks so often. */
async function startBadLine(lastsBytes, breaks) {
  let left = breaks;
  const server = createServer((socket) => {
    const upstream = connect(Number(new URL(endpoint).port), new URL(endpoint).hostname);
    let carried = 0;
    const end = () => {
      socket.destroy();
      upstream.destroy();
    };
    for (const side of [socket, upstream]) side.on('error', end).on('close', end);
    upstream.on('data', (chunk) => socket.write(chunk));
    socket.on('data', (chunk) => {
      carried += chunk.length;
      if (carried < lastsBytes || left === 0) return void upstream.write(chunk);
      left -= 1;
      // What is on the line arrives, and nothing behind it.
      upstream.write(chunk, end);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    left: () => left,
    close: () => server.close(),
  };
}

const drop = await makeDrop();
const arrived = async (path) => (await drop.receipt()).find(({ name }) => name === path);

// Whole, with its metadata.
const whole = send(drop, { metadata: { filename: 'ü 😀.mp4', filetype: 'video/mp4' } });
whole.upload.start();
await whole.done;
assert.deepEqual(methodsOf(whole.seen), ['POST 201', 'PATCH 204']);
assert.equal((await arrived('ü 😀.mp4')).sha256, sha256);
assert.ok(Date.parse(whole.seen[0].expires) > Date.now());
const object = await createClient({ endpoint, token }).download(bucket, 'in/ü 😀.mp4');
assert.equal(object.contentType, 'video/mp4');
assert.ok(Buffer.from(await object.bytes()).equals(BYTES));

// Over a line that breaks five times.
const line = await startBadLine(2 * MIB, 5);
const broken = send(drop, { at: line.url, metadata: { filename: 'broken.bin' } });
broken.upload.start();
await broken.done;
line.close();
assert.equal(line.left(), 0);
assert.ok(broken.seen.filter(({ method }) => method === 'HEAD').length >= 5);
assert.equal((await arrived('broken.bin')).sha256, sha256);

// Stopped at the half, and continued by another client.
const first = send(drop, {
  metadata: { filename: 'halves.bin' },
  chunkSize: 3 * MIB,
  onChunkComplete: (_size, sentBytes) => sentBytes >= 6 * MIB && first.upload.abort(),
});
first.upload.start();
while ((await arrived('halves.bin'))?.received !== 6 * MIB)
  await new Promise((resolve) => setTimeout(resolve, 50));
const second = send(drop, { uploadUrl: first.upload.url });
second.upload.start();
await second.done;
assert.deepEqual(methodsOf(second.seen), ['HEAD 200', 'PATCH 204']);
assert.equal((await arrived('halves.bin')).sha256, sha256);

// A wrong offset is refused, and the client asks for the right one.
let lies = 1;
const wrong = send(drop, {
  metadata: { filename: 'wrong.bin' },
  onBeforeRequest(request) {
    if (request.getMethod() === 'PATCH' && lies-- > 0) request.setHeader('Upload-Offset', '7');
  },
});
wrong.upload.start();
await wrong.done;
assert.deepEqual(methodsOf(wrong.seen), ['POST 201', 'PATCH 409', 'HEAD 200', 'PATCH 204']);
assert.equal((await arrived('wrong.bin')).sha256, sha256);

// Given up: nothing of it stays.
const given = send(drop, {
  metadata: { filename: 'given-up.bin' },
  chunkSize: 3 * MIB,
  onChunkComplete: () => void given.upload.abort(),
});
given.upload.start();
while ((await arrived('given-up.bin'))?.received !== 3 * MIB)
  await new Promise((resolve) => setTimeout(resolve, 50));
await given.upload.abort(true);
assert.equal(given.seen.at(-1).method, 'DELETE');
assert.equal(await arrived('given-up.bin'), undefined);

// Too large: refused at its beginning.
const small = await makeDrop({ limits: { fileBytes: MIB } });
const large = send(small, { retryDelays: null });
large.upload.start();
await assert.rejects(large.done, ({ originalResponse }) => originalResponse.getStatus() === 413);
assert.deepEqual(await small.receipt(), []);

// A link that ends while a file comes: what is there of it can't be continued.
const brief = await makeDrop({ expiresAt: new Date(Date.now() + 4000).toISOString() });
const late = send(brief, { chunkSize: 3 * MIB, onChunkComplete: () => void late.upload.abort() });
late.upload.start();
while (late.seen.filter(({ method }) => method === 'PATCH').length === 0)
  await new Promise((resolve) => setTimeout(resolve, 50));
assert.ok(Date.parse(late.seen[0].expires) <= Date.now() + 4000);
await new Promise((resolve) => setTimeout(resolve, 5000));
const after = send(brief, { uploadUrl: late.upload.url, retryDelays: null });
after.upload.start();
await assert.rejects(after.done, ({ originalResponse }) => originalResponse.getStatus() === 410);
const { version } = require('tus-js-client/package.json');
process.stdout.write(`tus-js-client ${version}\n`);
