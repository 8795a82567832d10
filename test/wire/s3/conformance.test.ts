// The delivery conformance table against a platform: some hundreds of unsigned requests over kept
// connections, each answer judged by its vector and by the rules that hold for every answer. The
// table says where each expectation comes from.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { inParallel, openToEveryone } from '../kit/clients/bucket-work.ts';
import { freshBucketName } from '../kit/clients/client.ts';
import { encodeKey } from '../kit/clients/sign.ts';
import { openSocket, type SocketReply, type WireSocket } from '../kit/clients/socket.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { xmlRoot } from '../kit/clients/xml.ts';
import {
  bodyOf,
  FAMILIES,
  type Facts,
  type Filling,
  fill,
  isFor,
  OBJECTS,
  requestBytes,
  type Vector,
} from '../kit/conformance-table.ts';
import { cacheStatusProblem } from '../kit/structured-fields.ts';

const { send, target } = client;

const IMF_FIXDATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;
/** Cloudflare's front puts the Date on; workerd alone sends no Date. */
const HAS_DATE = target.platform !== 'workers';
/**
 * Headers in which responses to HEAD and GET may differ: they are of the moment, or of the
 * connection.
 */
const OF_THE_MOMENT = [
  'date',
  'x-amz-request-id',
  'x-amz-id-2',
  'cache-status',
  'server-timing',
  'connection',
  'keep-alive',
];
/** What describes a body has no place in a 304. Source: RFC 9110 section 15.4.5 */
const OF_A_BODY = [
  'content-type',
  'content-encoding',
  'content-language',
  'content-range',
  'content-disposition',
];

describeCore('delivery conforms', () => {
  const publicBucket = useBucket(client);
  const privateBucket = useBucket(client);
  const missingBucket = freshBucketName();
  const facts = new Map<string, Facts>();
  /** Connections that wait for the next vector; as many as vectors run at once. */
  const idle: WireSocket[] = [];

  beforeAll(async () => {
    await openToEveryone(client, publicBucket);
    const objects = Object.entries(OBJECTS).filter(([, spec]) => isFor(target.platform, spec));
    await inParallel(objects, 4, async ([name, spec]) => {
      const body = bodyOf(spec);
      const call = { key: spec.key, body, headers: spec.headers ?? {} };
      const stored = await send({ method: 'PUT', bucket: publicBucket, ...call });
      if (stored.status !== 200) throw new Error(`PUT ${name}: ${stored.status} ${stored.text}`);
      const { headers } = await send({ method: 'HEAD', bucket: publicBucket, key: spec.key });
      const etag = (headers.etag ?? '').slice(1, -1);
      facts.set(name, { etag, lastModifiedMs: Date.parse(headers['last-modified'] ?? ''), body });
      if (name === 'plain') await send({ method: 'PUT', bucket: privateBucket, ...call });
    });
  });
  afterAll(() => {
    for (const socket of idle) socket.close();
  });

  function fillingOf(vector: Vector): Filling {
    const object = vector.object ?? 'plain';
    const bucket = { public: publicBucket, private: privateBucket, missing: missingBucket }[
      vector.bucket ?? 'public'
    ];
    const filling: Filling = {
      object,
      bucket,
      host: client.host,
      path: '',
      facts(name) {
        const found = facts.get(name);
        if (found === undefined) throw new Error(`no object ${name}`);
        return found;
      },
    };
    const path =
      vector.path ?? `/{bucket}${vector.target ?? `/${encodeKey(OBJECTS[object]?.key ?? '')}`}`;
    return { ...filling, path: fill(path, filling) };
  }

  /** Sends bytes over a kept connection, or over one of its own, and reads the answer. */
  async function ask(bytes: Buffer, hasBody: boolean, isAlone: boolean): Promise<SocketReply> {
    const socket = (isAlone ? undefined : idle.pop()) ?? (await openSocket(target.url));
    let isKept = false;
    try {
      socket.write(bytes);
      const reply = await socket.read(hasBody);
      isKept = !isAlone && reply.headers.connection?.toLowerCase() !== 'close';
      return reply;
    } finally {
      if (isKept) idle.push(socket);
      else socket.close();
    }
  }

  async function examine(vector: Vector): Promise<void> {
    const { method = 'GET' } = vector;
    const filling = fillingOf(vector);
    const isAlone = vector.raw !== undefined || vector.alone === true;
    const reply = await ask(requestBytes(vector, filling, method), method !== 'HEAD', isAlone);
    const statuses = [vector.expect.status].flat();
    expect(statuses, reply.body.toString('latin1').slice(0, 400)).toContain(reply.status);
    expectHeaders(vector, filling, reply);
    // What the server refuses before it is a request has no more than a status.
    const isOurs = reply.headers['x-amz-request-id'] !== undefined;
    if (isOurs) expectCommon(reply);
    else expect(reply.status).toBeGreaterThanOrEqual(400);
    if (reply.status === 200 || reply.status === 206)
      expectContent(vector, filling.facts(filling.object), reply);
    if (reply.status === 304) expectNotModified(filling.facts(filling.object), reply);
    if (method !== 'HEAD' && isOurs && reply.status >= 400)
      expectErrorDocument(vector, filling, reply);
    if (method === 'HEAD') {
      const get = await ask(
        requestBytes(vector, filling, 'GET', ['range', 'if-range']),
        true,
        isAlone,
      );
      expectSameAsGet(reply, get);
    }
  }

  it('has a source for each vector, a reason for each exception and no name twice', () => {
    for (const { name: family, vectors } of FAMILIES) {
      expect(new Set(vectors.map(({ name }) => name)).size, family).toBe(vectors.length);
      for (const { name, source, platforms, reason } of vectors) {
        expect(source, name).toMatch(/\bRFC \d{4}|\bS3\b|Quayside/);
        expect(platforms === undefined, name).toBe(reason === undefined);
      }
    }
  });

  it.each([
    ['quayside-edge; hit', true],
    ['"a b"; fwd=uri-miss;stored; ttl=-5 ,\tb;hit;detail="x \\" y"', true],
    ['', false],
    ['quayside; hit,', false],
    ['quayside hit', false],
    ['quayside; Hit', false],
    ['quayside; hit; fwd=miss', false],
    ['quayside', false],
    ['quayside; fwd=elsewhere', false],
    ['quayside; fwd="miss"', false],
    ['quayside; hit; ttl=1.5', false],
    ['quayside; hit; key=token', false],
    ['quayside; hit; stored', false],
    ['"quayside; hit', false],
    ['1; hit', false],
  ])('knows a Cache-Status: %j is %s', (text, isOne) => {
    expect(cacheStatusProblem(text) === null).toBe(isOne);
  });

  for (const { name: family, vectors } of FAMILIES) {
    describe.concurrent(family, () => {
      for (const vector of vectors) {
        if (!isFor(target.platform, vector)) it.skip(`${vector.name} [${vector.reason}]`, () => {});
        else if (vector.deviation !== undefined)
          it.fails(`${vector.name} [${vector.deviation}]`, () => examine(vector));
        else it(vector.name, () => examine(vector));
      }
    });
  }
});

function expectHeaders({ expect: wanted }: Vector, filling: Filling, reply: SocketReply): void {
  for (const [name, text] of Object.entries(wanted.headers ?? {})) {
    const pattern = /^\/(.*)\/$/.exec(text)?.[1];
    // Names of codings have no case, and wrangler's dev server leaves alone what stands in capitals
    // (RFC 9110 section 8.4.1, adapters/cloudflare/requests/stored-coding.ts).
    const sent =
      name === 'content-encoding' ? reply.headers[name]?.toLowerCase() : reply.headers[name];
    if (pattern === undefined) expect(sent, name).toBe(fill(text, filling));
    else expect(sent ?? '', name).toMatch(new RegExp(pattern));
  }
  for (const name of wanted.absent ?? []) expect(reply.names, name).not.toContain(name);
}

/** What every answer must have. Sources: RFC 9110 sections 5.3, 6.6.1, 8.6, RFC 9211. */
function expectCommon({ headers, names, status }: SocketReply): void {
  expect(new Set(names).size, `repeated headers: ${names.join(' ')}`).toBe(names.length);
  if (headers.date !== undefined || HAS_DATE)
    expect(headers.date ?? '', 'date').toMatch(IMF_FIXDATE);
  const cacheStatus = headers['cache-status'];
  if (status < 400 || cacheStatus !== undefined)
    expect(cacheStatusProblem(cacheStatus ?? '')).toBeNull();
}

/** Sources: RFC 9110 sections 8.6, 8.8, 14.3, 14.4. */
function expectContent(
  { method, expect: { range } }: Vector,
  facts: Facts,
  reply: SocketReply,
): void {
  const { headers, status } = reply;
  const size = facts.body.length;
  const [first, last] = status === 206 && range !== undefined ? range : [0, size - 1];
  expect(headers['content-range']).toBe(
    status === 206 ? `bytes ${first}-${last}/${size}` : undefined,
  );
  expect(headers).toMatchObject({
    etag: `"${facts.etag}"`,
    'last-modified': new Date(facts.lastModifiedMs).toUTCString(),
    'accept-ranges': 'bytes',
    'content-length': `${last - first + 1}`,
    'content-type': expect.stringMatching(/^[\w.+-]+\/[\w.+-]+/),
  });
  // RFC 9110 section 8.8.2.1: never later than the moment of the answer.
  const nowMs = headers.date === undefined ? Date.now() : Date.parse(headers.date);
  expect(facts.lastModifiedMs).toBeLessThanOrEqual(nowMs);
  const sent = method === 'HEAD' ? Buffer.alloc(0) : facts.body.subarray(first, last + 1);
  expect(reply.body.equals(sent), `${reply.body.length} bytes`).toBe(true);
}

function expectNotModified(facts: Facts, { headers, names, body }: SocketReply): void {
  expect(headers.etag).toBe(`"${facts.etag}"`);
  expect(body.length).toBe(0);
  for (const name of OF_A_BODY) expect(names, name).not.toContain(name);
  // RFC 9110 section 8.6: the length that a 200 would have had, or none.
  expect([undefined, `${facts.body.length}`]).toContain(headers['content-length']);
}

/** S3's error document; of a 416 the size as well. Source: RFC 9110 section 15.5.17. */
function expectErrorDocument(
  { expect: wanted }: Vector,
  filling: Filling,
  reply: SocketReply,
): void {
  expect(reply.headers['content-type']).toBe('application/xml');
  const error = xmlRoot(reply.body.toString('utf8'), 'Error');
  expect(error.RequestId).toBe(reply.headers['x-amz-request-id']);
  if (wanted.code !== undefined) expect(error.Code).toBe(wanted.code);
  if (wanted.text !== undefined) expect(reply.body.toString('utf8')).toContain(wanted.text);
  if (reply.status === 416) {
    const size = filling.facts(filling.object).body.length;
    expect(reply.headers['content-range']).toBe(`bytes */${size}`);
  }
}

/**
 * Source: RFC 9110 sections 9.3.2 and 8.6: the headers of GET; a length may be missing but not
 * another one.
 */
function expectSameAsGet(head: SocketReply, get: SocketReply): void {
  expect(head.status).toBe(get.status);
  expect(head.body.length).toBe(0);
  const comparable = ({ headers }: SocketReply) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_MOMENT.includes(name)));
  const { 'content-length': length, 'transfer-encoding': coding, ...ofHead } = comparable(head);
  const { 'content-length': getLength, 'transfer-encoding': _, ...ofGet } = comparable(get);
  expect(ofHead).toEqual(ofGet);
  if (get.status === 200) expect([length, coding]).toEqual([getLength, undefined]);
  else expect([undefined, getLength]).toContain(length);
}
