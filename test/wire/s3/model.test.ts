// Random operations against the server and against the simplest storage in memory: no difference,
// and never a 500. One run is one bucket and up to 40 requests; fast-check shrinks a difference to
// the few requests that show it.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fuzzRuns } from '../../fuzz-seed.ts';
import { removeBucket } from '../kit/clients/bucket-work.ts';
import { freshBucketName } from '../kit/clients/client.ts';
import type { Reply } from '../kit/clients/http.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { xmlRoot } from '../kit/clients/xml.ts';
import { md5Hex } from '../kit/reference-checksums.ts';
import { createStorageModel, type Outcome } from '../kit/storage-model.ts';

const { send } = client;

/** Runs on each platform. More find nothing new and cost a second each. */
const RUNS = fuzzRuns(12);

const KEYS = ['a', 'a/b', 'a/c', 'b', 'ü/😀', '/'] as const;
const key = fc.constantFrom(...KEYS);
const body = fc.constantFrom('', 'x', 'hello', 'y'.repeat(20_000));
const tags = fc.constantFrom('', 'a=1', 'a=1&b=%C3%A4');
const condition = fc.constantFrom('none', 'none', 'none', 'match', 'mismatch', 'absent');
/** Which of a key's versions: 0 the newest; null for none in particular. */
const which = fc.option(fc.nat(3), { freq: 2 });

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      key,
      body,
      tags,
      condition,
      metadata: fc.constantFrom('', 'm'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('get' as const), key, which, isHead: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('delete' as const), key, which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('copy' as const), key, to: key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('upload' as const), key, body }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('versioning' as const),
      status: fc.constantFrom('Enabled' as const, 'Suspended' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tag' as const), key, tags }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tags' as const), key }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      prefix: fc.constantFrom('', 'a', 'a/', 'ü'),
      delimiter: fc.constantFrom('', '/'),
      after: fc.constantFrom('', 'a', 'a/', 'a/b', 'b'),
      maxKeys: fc.constantFrom(0, 1, 2, 1000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('versions' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * A bucket of the server and its model, and the names that the server gave to the model's versions.
 */
async function openPair() {
  const bucket = freshBucketName();
  expect((await send({ method: 'PUT', bucket })).status).toBe(200);
  const model = createStorageModel();
  const idOf = new Map<number, string>();
  const numberOf = new Map<string, number>();

  /** Remembers which of the server's ids a write of the model got. */
  function learn(reply: Reply, expected: Outcome, at: string): void {
    const id = reply.headers['x-amz-version-id'];
    if (expected.number === undefined || expected.number === null) return;
    if (id === undefined || id === 'null') {
      numberOf.set(`${at}#null`, expected.number);
      return;
    }
    idOf.set(expected.number, id);
    numberOf.set(`${at}#${id}`, expected.number);
  }
  return { bucket, model, learn, nameOf: (number: number) => idOf.get(number) ?? 'null', numberOf };
}
type Pair = Awaited<ReturnType<typeof openPair>>;

const outcomeOf = (reply: Reply, text?: string): Outcome => {
  const code =
    reply.status >= 400 && reply.text !== ''
      ? { code: xmlRoot(reply.text, 'Error').Code as string }
      : {};
  return {
    status: reply.status,
    ...code,
    ...(reply.status === 200 && text !== undefined ? { text } : {}),
  };
};
const listOf = <Value>(value: Value | Value[] | undefined): Value[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];
/** Conditions and numbers are not part of what is compared. */
const seen = ({ number: _, ...outcome }: Outcome): Outcome => outcome;

async function put(
  { bucket, model, learn }: Pair,
  step: Extract<Step, { do: 'put' }>,
): Promise<[Outcome, Outcome]> {
  const now = model.versionsOf(step.key)[0]?.etag ?? '';
  const ifMatch =
    step.condition === 'match' ? now : step.condition === 'mismatch' ? 'f'.repeat(32) : null;
  const ifNoneMatch = step.condition === 'absent' ? '*' : null;
  const headers = {
    ...(ifMatch === null ? {} : { 'if-match': `"${ifMatch}"` }),
    ...(ifNoneMatch === null ? {} : { 'if-none-match': ifNoneMatch }),
    ...(step.metadata === '' ? {} : { 'x-amz-meta-m': step.metadata }),
    ...(step.tags === '' ? {} : { 'x-amz-tagging': step.tags }),
  };
  const { body, metadata, tags } = step;
  const etag = md5Hex(Buffer.from(body));
  const expected = model.put(step.key, { body, etag, metadata, tags }, { ifMatch, ifNoneMatch });
  const reply = await send({ method: 'PUT', bucket, key: step.key, headers, body });
  learn(reply, expected, step.key);
  return [expected, outcomeOf(reply)];
}

async function upload(
  { bucket, model, learn }: Pair,
  step: Extract<Step, { do: 'upload' }>,
): Promise<[Outcome, Outcome]> {
  const at = { bucket, key: step.key };
  const begun = await send({ method: 'POST', ...at, query: { uploads: '' } });
  const uploadId = xmlRoot(begun.text, 'InitiateMultipartUploadResult').UploadId as string;
  const part = await send({
    method: 'PUT',
    ...at,
    query: { uploadId, partNumber: '3' },
    body: step.body,
  });
  const document =
    '<CompleteMultipartUpload><Part><PartNumber>3</PartNumber><ETag>' +
    `${part.headers.etag}</ETag></Part></CompleteMultipartUpload>`;
  const reply = await send({ method: 'POST', ...at, query: { uploadId }, body: document });
  const etag = `${md5Hex(createHash('md5').update(step.body).digest())}-1`;
  const expected = model.put(step.key, { body: step.body, etag, metadata: '', tags: '' });
  learn(reply, expected, step.key);
  return [expected, outcomeOf(reply)];
}

async function listVersions({ bucket, model, numberOf }: Pair): Promise<[Outcome, Outcome]> {
  const reply = await send({ method: 'GET', bucket, query: { versions: '' } });
  const page = xmlRoot(reply.text, 'ListVersionsResult');
  const lines = [
    ...listOf(page.Version).map((row) => [row, ''] as const),
    ...listOf(page.DeleteMarker).map((row) => [row, '-'] as const),
  ].map(([row, mark]) => {
    const number = numberOf.get(`${row.Key}#${row.VersionId}`);
    return `${row.Key}#${number}${mark}${row.IsLatest === 'true' ? '*' : ''}`;
  });
  return [
    model.listVersions(),
    outcomeOf(
      reply,
      lines.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join('\n'),
    ),
  ];
}

const tagText = (reply: Reply) =>
  listOf(xmlRoot(reply.text, 'Tagging').TagSet?.Tag)
    .map(({ Key, Value }) => `${Key}=${encodeURIComponent(Value)}`)
    .join('&');
const tagDocument = (text: string) =>
  [...new URLSearchParams(text)]
    .map(([Key, Value]) => `<Tag><Key>${Key}</Key><Value>${Value}</Value></Tag>`)
    .join('');

/** Does one step on both sides. */
async function run(pair: Pair, step: Step): Promise<[Outcome, Outcome]> {
  const { bucket, model, learn, nameOf } = pair;
  const pick = (at: number | null) =>
    at === null ? null : (model.versionsOf('key' in step ? step.key : '')[at]?.number ?? null);
  switch (step.do) {
    case 'put':
      return put(pair, step);
    case 'upload':
      return upload(pair, step);
    case 'versions':
      return listVersions(pair);
    case 'get': {
      const number = pick(step.which);
      const query = number === null ? {} : { versionId: nameOf(number) };
      const expected = model.get(step.key, number);
      const reply = await send({
        method: step.isHead ? 'HEAD' : 'GET',
        bucket,
        key: step.key,
        query,
      });
      if (step.isHead) return [{ status: expected.status }, { status: reply.status }];
      return [expected, outcomeOf(reply, `${reply.headers['x-amz-meta-m'] ?? ''}|${reply.text}`)];
    }
    case 'delete': {
      const number = pick(step.which);
      const query = number === null ? {} : { versionId: nameOf(number) };
      const expected = model.remove(step.key, number);
      const reply = await send({ method: 'DELETE', bucket, key: step.key, query });
      learn(reply, expected, step.key);
      return [expected, outcomeOf(reply)];
    }
    case 'copy': {
      const expected = model.copy(step.key, step.to);
      const source = `${bucket}/${step.key.split('/').map(encodeURIComponent).join('/')}`;
      const reply = await send({
        method: 'PUT',
        bucket,
        key: step.to,
        headers: { 'x-amz-copy-source': source },
      });
      learn(reply, expected, step.to);
      return [expected, outcomeOf(reply)];
    }
    case 'versioning': {
      const status = `<Status>${step.status}</Status>`;
      const document = `<VersioningConfiguration>${status}</VersioningConfiguration>`;
      return [
        model.setVersioning(step.status),
        outcomeOf(await send({ method: 'PUT', bucket, query: { versioning: '' }, body: document })),
      ];
    }
    case 'tag': {
      const document = `<Tagging><TagSet>${tagDocument(step.tags)}</TagSet></Tagging>`;
      const reply = await send({
        method: 'PUT',
        bucket,
        key: step.key,
        query: { tagging: '' },
        body: document,
      });
      return [model.setTags(step.key, step.tags), outcomeOf(reply)];
    }
    case 'tags': {
      const reply = await send({ method: 'GET', bucket, key: step.key, query: { tagging: '' } });
      return [model.tagsOf(step.key), outcomeOf(reply, reply.status === 200 ? tagText(reply) : '')];
    }
    case 'list': {
      const { prefix, delimiter, after, maxKeys } = step;
      const query = {
        'list-type': '2',
        prefix,
        delimiter,
        'start-after': after,
        'max-keys': `${maxKeys}`,
      };
      const reply = await send({ method: 'GET', bucket, query });
      const page = xmlRoot(reply.text, 'ListBucketResult');
      const names = [
        ...listOf(page.Contents).map((row) => row.Key),
        ...listOf(page.CommonPrefixes).map((row) => row.Prefix),
      ];
      const sorted = names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      return [model.list(step), outcomeOf(reply, `${sorted.join('\n')}|${page.IsTruncated}`)];
    }
  }
}

describeCore('Random operations', () => {
  it('leave the server as they leave the model', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
        async (steps) => {
          const pair = await openPair();
          try {
            for (const [at, each] of [...steps, { do: 'versions' as const }].entries()) {
              const [expected, found] = await run(pair, each);
              expect(found, `step ${at}: ${JSON.stringify(each)}`).toEqual(seen(expected));
            }
          } finally {
            if (!client.target.isTemporary) await removeBucket(client, pair.bucket);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });
});
