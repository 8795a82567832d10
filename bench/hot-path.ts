// What does a hot public GET cost, step by step, above node:http? One process, no sockets, CPU µs
// per call.

import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { AwsClient } from 'aws4fetch';
import { openNodePorts } from '../src/adapters/node/node-ports.ts';
import type { NodeBindings } from '../src/adapters/node/serve.ts';
import { readRequest } from '../src/adapters/node/server/http-request.ts';
import { createConsoleLog } from '../src/adapters/shared/console-log.ts';
import { systemClock } from '../src/adapters/shared/system-clock.ts';
import { createApp } from '../src/app.ts';
import { parseConfig } from '../src/config.ts';
import { createDecide } from '../src/core/auth/decide.ts';
import type { Core } from '../src/core/core.ts';
import { openBody } from '../src/core/objects/read-object.ts';
import { parseBucketName } from '../src/core/parse-names.ts';
import { ROOT_ACCOUNT } from '../src/domain/root-account.ts';
import { createAddressReader } from '../src/http/address.ts';
import { createDelivery } from '../src/http/delivery/create-delivery.ts';
import type { SignedRead } from '../src/http/delivery/fast-path/fast-path.ts';
import { createAccessLog } from '../src/http/observe/access-log.ts';
import { createAuthenticator } from '../src/http/s3/signature/authenticate.ts';
import { evaluateRead } from '../src/http/semantics/conditional.ts';
import { objectHeaders } from '../src/http/semantics/object-headers.ts';
import { bodyOf, makePublicObject, PUBLIC_KEY } from './lib/public-object.ts';
import { ACCESS_KEY, SECRET_KEY } from './lib/servers.ts';
import { median, printTable } from './lib/table.ts';

const BODY = Buffer.alloc(10 * 1024, 'quayside ');
const LOOPS = 40_000;
const ROUNDS = 9;

/** CPU µs of one call, median of rounds. A call that gives a promise is awaited. */
async function cost(call: () => unknown): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < LOOPS; i++) {
      const result = call();
      if (result instanceof Promise) await result;
    }
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / LOOPS);
  }
  return median(rounds);
}

const folder = await mkdtemp(join(tmpdir(), 'quayside-bench-'));
const log = createConsoleLog(systemClock, 'off');
const config = { ...parseConfig({}), rootAccessKey: ACCESS_KEY, rootSecretKey: SECRET_KEY };
const { ports, close } = await openNodePorts(config, {
  dataDir: folder,
  log,
  onCrash: () => process.exit(1),
});
try {
  const core: Core = { ports, settings: config };
  const name = parseBucketName('hot');
  const key = PUBLIC_KEY;
  const { object } = await makePublicObject(core, 'hot', bodyOf(BODY));

  const incoming = (headers: Record<string, string>) =>
    ({
      method: 'GET',
      url: '/hot/object',
      headers,
      httpVersion: '1.1',
      socket: { remoteAddress: '127.0.0.1' },
    }) as unknown as IncomingMessage;
  const plain = incoming({ host: '127.0.0.1:9000' });
  const outgoing = {} as ServerResponse;
  const request = readRequest({ incoming: plain, outgoing });
  const { deliver, answerAtOnce } = createDelivery(core, config, createDecide());
  const app = createApp<NodeBindings>(ports, config, (c) => readRequest(c.env));
  // Without it app.fetch would build undici's Response: the listener puts the light one in its
  // place.
  getRequestListener(app.fetch);
  const fetchRequest = {
    method: 'GET',
    url: 'http://127.0.0.1:9000/hot/object',
    headers: new Headers(),
  } as unknown as Request;
  await deliver(request, 'hot', 'object', 'id');

  const signer = new AwsClient({
    accessKeyId: ACCESS_KEY,
    secretAccessKey: SECRET_KEY,
    service: 's3',
    region: 'auto',
  });
  const signed = await signer.sign('http://127.0.0.1:9000/hot/object', {
    headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
  });
  const signedIncoming = incoming({
    host: '127.0.0.1:9000',
    ...Object.fromEntries(signed.headers),
  });
  const signedRequest = readRequest({ incoming: signedIncoming, outgoing });
  const account = { id: ACCESS_KEY, secret: SECRET_KEY, account: ROOT_ACCOUNT } as never;
  const { authenticate } = createAuthenticator({
    findAccessKey: () => account,
    nowMs: Date.now,
    region: 'auto',
    isSignatureV2On: true,
    ownHosts: [],
  });
  const none = {
    ifMatch: null,
    ifNoneMatch: null,
    range: null,
    ifModifiedSince: null,
    ifUnmodifiedSince: null,
  };

  const rows: (string | number)[][] = [['step', 'CPU µs']];
  const measure = async (step: string, call: () => unknown) =>
    rows.push([step, (await cost(call)).toFixed(2)]);
  await measure('read the request', () => readRequest({ incoming: plain, outgoing }));
  const readAddress = createAddressReader(config, () => null);
  await measure('address', () => readAddress('/hot/object', '127.0.0.1:9000'));
  await measure('bucket read policy and pointer from memory', () =>
    ports.hotMetadata.peek(name, key),
  );
  await measure('conditions', () => evaluateRead(none, object));
  await measure('body from memory', () =>
    openBody(core, object, { offsetBytes: 0, lengthBytes: BODY.length }),
  );
  await measure('object headers (once per pointer)', () => objectHeaders(object));
  await measure(
    'a Response of 10 headers',
    () =>
      new Response(BODY, {
        status: 200,
        headers: {
          a: '1',
          b: '2',
          c: '3',
          d: '4',
          e: '5',
          f: '6',
          g: '7',
          h: '8',
          i: '9',
          j: '10',
        },
      }),
  );
  await measure('all of delivery', () => deliver(request, 'hot', 'object', 'id'));
  const plainRead = {
    isHead: false,
    rawPath: '/hot/object',
    host: '127.0.0.1:9000',
    ifNoneMatch: null,
    range: null,
    header: () => null,
  };
  await measure('the response of the fast path', () => answerAtOnce(plainRead));
  const accessLog = createAccessLog({ write: () => undefined }, 'combined', systemClock);
  const jsonLog = createAccessLog({ write: () => undefined }, 'json', systemClock);
  const reply = answerAtOnce(plainRead);
  const header = (name: string) =>
    name === 'referer' ? 'https://www.example.com/page' : 'Mozilla/5.0 (X11; Linux)';
  if (reply !== null && reply.kind !== 'later') {
    const served = {
      read: plainRead,
      response: reply,
      requestId: 'id',
      remoteAddress: '127.0.0.1',
      durationMs: 0.01,
      header,
    };
    await measure('a line of the access log, combined', () => accessLog.servedByFastPath(served));
    await measure('a line of the access log, json', () => jsonLog.servedByFastPath(served));
  }
  await measure('all of the app, Hono included', () =>
    app.fetch(fetchRequest, { incoming: plain, outgoing }),
  );
  await measure('SigV4 check', () => authenticate(signedRequest));
  await measure('a signed GET, all of the app', () =>
    app.fetch(fetchRequest, { incoming: signedIncoming, outgoing }),
  );
  const signedRead = (headers: Readonly<Record<string, string>>, rawQuery: string): SignedRead => ({
    ...plainRead,
    method: 'GET',
    rawQuery,
    header: (name) => headers[name] ?? null,
    headerNames: () => Object.keys(headers),
  });
  const inHeader = signedRead(Object.fromEntries(signed.headers), '');
  await measure('the fast path, a signed read', () => app.fastPath.answerSigned(inHeader));
  const url = await signer.sign('http://127.0.0.1:9000/hot/object', { aws: { signQuery: true } });
  const inQuery = signedRead({ host: '127.0.0.1:9000' }, new URL(url.url).search.slice(1));
  await measure('the same of a presigned URL', () => app.fastPath.answerSigned(inQuery));
  printTable(rows);
} finally {
  await close(1000);
  await rm(folder, { recursive: true, force: true });
}
