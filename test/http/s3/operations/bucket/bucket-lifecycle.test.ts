import { beforeEach, describe, expect, it } from 'vitest';
import { encodeToken } from '../../../../../src/http/s3/formats/paging.ts';
import { codeOf, contentMd5 } from '../../kit/responses.ts';
import { NOW_MS } from '../../kit/sign-for-test.ts';
import { createTestSurface, type Reply, type Sent } from '../../kit/surface.ts';

let surface = createTestSurface();
const send = (sent: Sent) => surface.send(sent);
const B = '/cycled';
const lifecycle = { query: { lifecycle: '' } };
const md5 = (body: string) => ({ 'content-md5': contentMd5(body) });
const configuration = (...rules: string[]) =>
  `<LifecycleConfiguration>${rules.map((rule) => `<Rule>${rule}</Rule>`).join('')}` +
  '</LifecycleConfiguration>';
const put = (body: string, headers = {}) =>
  send({ method: 'PUT', path: B, ...lifecycle, body, headers: { ...md5(body), ...headers } });
const get = () => send({ path: B, ...lifecycle });
const rulesIn = ({ text }: Reply) =>
  /<LifecycleConfiguration[^>]*>(.*)<\/LifecycleConfiguration>/s.exec(text)?.[1] ?? '';

const ON = '<Status>Enabled</Status>';
const DAYS_1 = '<Expiration><Days>1</Days></Expiration>';
const MINIMUM = 'x-amz-transition-default-minimum-object-size';

beforeEach(async () => {
  surface = createTestSurface();
  await send({ method: 'PUT', path: B });
});

describe('the configuration', () => {
  const given = [
    `<ID>old form</ID><Prefix>logs/</Prefix>${ON}${DAYS_1}`,
    '<ID>none</ID><Filter></Filter><Status>Disabled</Status><Expiration>' +
      '<ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>',
    `<ID>prefix</ID><Filter><Prefix></Prefix></Filter>${ON}<AbortIncompleteMultipartUpload>` +
      '<DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload>',
    `<ID>tag</ID><Filter><Tag><Key>a</Key><Value></Value></Tag></Filter>${ON}<Expiration>` +
      '<Date>2030-01-01T00:00:00.000Z</Date></Expiration><Transition>' +
      '<Date>2029-01-01T00:00:00.000Z</Date><StorageClass>GLACIER_IR</StorageClass>' +
      '</Transition>',
    '<ID>size</ID><Filter><ObjectSizeGreaterThan>500</ObjectSizeGreaterThan>' +
      `</Filter>${ON}<Transition><Days>0</Days><StorageClass>INTELLIGENT_TIERING</StorageClass>` +
      '</Transition>',
    '<ID>and</ID><Filter><And><Prefix>p/</Prefix><Tag><Key>a</Key><Value>1</Value></Tag>' +
      '<Tag><Key>b</Key><Value>2</Value></Tag><ObjectSizeGreaterThan>1' +
      `</ObjectSizeGreaterThan><ObjectSizeLessThan>9</ObjectSizeLessThan></And></Filter>${ON}` +
      '<NoncurrentVersionExpiration><NoncurrentDays>90</NoncurrentDays>' +
      '<NewerNoncurrentVersions>3</NewerNoncurrentVersions></NoncurrentVersionExpiration>' +
      '<NoncurrentVersionTransition><NoncurrentDays>30</NoncurrentDays>' +
      '<StorageClass>STANDARD_IA</StorageClass></NoncurrentVersionTransition>' +
      '<NoncurrentVersionTransition><NoncurrentDays>60</NoncurrentDays>' +
      '<NewerNoncurrentVersions>2</NewerNoncurrentVersions><StorageClass>GLACIER_IR' +
      '</StorageClass></NoncurrentVersionTransition>',
  ];

  it('is given back in the form in which it was put, and can be taken away', async () => {
    expect(codeOf(await get())).toEqual([404, 'NoSuchLifecycleConfiguration']);
    const reply = await put(configuration(...given));
    expect([reply.status, reply.headers[MINIMUM]]).toEqual([200, 'all_storage_classes_128K']);
    const got = await get();
    expect(rulesIn(got)).toBe(given.map((rule) => `<Rule>${rule}</Rule>`).join(''));
    expect((await put(got.text)).status).toBe(200);
    expect((await send({ method: 'DELETE', path: B, ...lifecycle })).status).toBe(204);
    expect(codeOf(await get())).toEqual([404, 'NoSuchLifecycleConfiguration']);
    expect((await send({ method: 'DELETE', path: B, ...lifecycle })).status).toBe(204);
  });

  it('names rules that have no ID, each by its own', async () => {
    const bare = `<Filter/>${ON}${DAYS_1}`;
    await put(configuration(bare, bare));
    const ids = [...rulesIn(await get()).matchAll(/<ID>([^<]+)<\/ID>/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(2);
  });

  it('keeps the smallest size of transitions', async () => {
    const headers = { [MINIMUM]: 'varies_by_storage_class' };
    expect((await put(configuration(given[4] ?? ''), headers)).headers[MINIMUM]).toBe(
      'varies_by_storage_class',
    );
    expect((await get()).headers[MINIMUM]).toBe('varies_by_storage_class');
    expect(codeOf(await put(configuration(given[4] ?? ''), { [MINIMUM]: '0' }))).toEqual([
      400,
      'InvalidArgument',
    ]);
  });

  const F = `<Filter/>${ON}`;
  const transition = (days: string, storageClass: string) =>
    `<Transition>${days}<StorageClass>${storageClass}</StorageClass></Transition>`;
  const days = (count: number) => `<Days>${count}</Days>`;
  const noncurrent = (content: string) =>
    `<NoncurrentVersionExpiration>${content}</NoncurrentVersionExpiration>`;
  const abort = (count: number) =>
    `<AbortIncompleteMultipartUpload><DaysAfterInitiation>${count}</DaysAfterInitiation>` +
    '</AbortIncompleteMultipartUpload>';
  const tag = '<Tag><Key>a</Key><Value>1</Value></Tag>';
  const refused: [string, string[], string][] = [
    ['no rule', [], 'MalformedXML'],
    ['no action', [F], 'InvalidRequest'],
    ['neither filter nor prefix', [`${ON}${DAYS_1}`], 'MalformedXML'],
    ['filter and prefix', [`<Prefix/>${F}${DAYS_1}`], 'MalformedXML'],
    [
      'two conditions beside each other',
      [`<Filter><Prefix>a</Prefix>${tag}</Filter>${ON}${DAYS_1}`],
      'MalformedXML',
    ],
    ['an And of one', [`<Filter><And>${tag}</And></Filter>${ON}${DAYS_1}`], 'MalformedXML'],
    ['no status', [`<Filter/>${DAYS_1}`], 'MalformedXML'],
    ['a status in small letters', [`<Filter/><Status>enabled</Status>${DAYS_1}`], 'MalformedXML'],
    ['an ID of 256', [`<ID>${'a'.repeat(256)}</ID>${F}${DAYS_1}`], 'InvalidArgument'],
    ['one ID twice', [`<ID>a</ID>${F}${DAYS_1}`, `<ID>a</ID>${F}${DAYS_1}`], 'InvalidArgument'],
    ['0 days', [`${F}<Expiration>${days(0)}</Expiration>`], 'InvalidArgument'],
    ['days that are no number', [`${F}<Expiration><Days>x</Days></Expiration>`], 'MalformedXML'],
    [
      'days and a date',
      [`${F}<Expiration>${days(1)}<Date>2030-01-01</Date></Expiration>`],
      'MalformedXML',
    ],
    ['an empty expiration', [`${F}<Expiration/>`], 'MalformedXML'],
    [
      'a time of day',
      [`${F}<Expiration><Date>2030-01-01T01:00:00Z</Date></Expiration>`],
      'InvalidArgument',
    ],
    [
      'a date of its own',
      [`${F}<Expiration><Date>20200101</Date></Expiration>`],
      'InvalidArgument',
    ],
    [
      'markers of tags',
      [
        `<Filter>${tag}</Filter>${ON}<Expiration><ExpiredObjectDeleteMarker>true` +
          '</ExpiredObjectDeleteMarker></Expiration>',
      ],
      'InvalidRequest',
    ],
    ['uploads of tags', [`<Filter>${tag}</Filter>${ON}${abort(1)}`], 'InvalidRequest'],
    ['uploads after 0 days', [`${F}${abort(0)}`], 'InvalidArgument'],
    [
      'a tag that can be none',
      [`<Filter><Tag><Key/><Value/></Tag></Filter>${ON}${DAYS_1}`],
      'InvalidTag',
    ],
    [
      'sizes without anything between',
      [
        '<Filter><And><ObjectSizeGreaterThan>5</ObjectSizeGreaterThan>' +
          `<ObjectSizeLessThan>5</ObjectSizeLessThan></And></Filter>${ON}${DAYS_1}`,
      ],
      'InvalidRequest',
    ],
    [
      'a transition below 30 days',
      [`${F}${transition(days(29), 'STANDARD_IA')}`],
      'InvalidArgument',
    ],
    ['a class that none goes to', [`${F}${transition(days(1), 'STANDARD')}`], 'MalformedXML'],
    [
      'one class twice',
      [`${F}${transition(days(1), 'GLACIER_IR')}${transition(days(2), 'GLACIER_IR')}`],
      'InvalidRequest',
    ],
    [
      'a way up',
      [`${F}${transition(days(1), 'GLACIER_IR')}${transition(days(40), 'STANDARD_IA')}`],
      'InvalidArgument',
    ],
    [
      'an end before the transition',
      [`${F}${transition(days(1), 'GLACIER_IR')}${DAYS_1}`],
      'InvalidArgument',
    ],
    [
      'days here and a date there',
      [`${F}${transition('<Date>2030-01-01</Date>', 'GLACIER_IR')}${DAYS_1}`],
      'InvalidRequest',
    ],
    [
      'noncurrent after 0 days',
      [`${F}${noncurrent('<NoncurrentDays>0</NoncurrentDays>')}`],
      'InvalidArgument',
    ],
    [
      'only a number of newer versions',
      [`${F}${noncurrent('<NewerNoncurrentVersions>1</NewerNoncurrentVersions>')}`],
      'MalformedXML',
    ],
    [
      '101 newer versions',
      [
        F +
          noncurrent(
            '<NoncurrentDays>1</NoncurrentDays>' +
              '<NewerNoncurrentVersions>101</NewerNoncurrentVersions>',
          ),
      ],
      'InvalidArgument',
    ],
  ];
  it.each(refused)('is refused with %s', async (_, rules, code) => {
    expect(codeOf(await put(configuration(...rules)))).toEqual([400, code]);
    expect((await get()).status).toBe(404);
  });

  it('names what is never done, wants a digest, and is the owner’s', async () => {
    expect(codeOf(await put(configuration(`${F}${transition(days(1), 'GLACIER')}`)))).toEqual([
      501,
      'NotImplemented',
    ]);
    const body = configuration(`${F}${DAYS_1}`);
    expect(codeOf(await send({ method: 'PUT', path: B, ...lifecycle, body }))).toEqual([
      400,
      'InvalidRequest',
    ]);
    expect(codeOf(await send({ path: B, ...lifecycle, as: 'stranger' }))).toEqual([
      403,
      'AccessDenied',
    ]);
    const all = configuration(...Array.from({ length: 1001 }, () => `${F}${DAYS_1}`));
    expect(codeOf(await put(all))).toEqual([400, 'MalformedXML']);
  });
});

describe('the dry run', () => {
  const dryRun = async (query: Record<string, string> = {}) => {
    const reply = await send({ path: B, query: { lifecycle: '', 'dry-run': '', ...query } });
    return { ...reply, json: reply.status === 200 ? JSON.parse(reply.text) : null };
  };
  const at = new Date(NOW_MS + 9 * 24 * 3600 * 1000).toISOString();

  it('lists what would go at a time, and nothing goes', async () => {
    const days = '<Expiration><Days>2</Days></Expiration>';
    await put(configuration(`<ID>logs</ID><Prefix>logs/</Prefix>${ON}${days}`));
    for (const key of ['logs/a', 'kept'])
      await send({ method: 'PUT', path: `${B}/${key}`, body: 'xyz' });
    const now = await dryRun();
    expect(now.headers['content-type']).toBe('application/json');
    expect(now.json).toEqual({
      bucket: 'cycled',
      at: new Date(NOW_MS).toISOString(),
      items: [],
      next: null,
    });
    const later = await dryRun({ at });
    expect(later.json.items).toEqual([
      {
        ...{ action: 'expire', subject: 'current', key: 'logs/a', ruleId: 'logs' },
        ...{ versionId: expect.any(String), sizeBytes: 3, storageClass: 'STANDARD' },
      },
    ]);
    expect((await send({ path: `${B}/logs/a` })).text).toBe('xyz');
  });

  it('names uploads and markers as well', async () => {
    const enabled = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await send({ method: 'PUT', path: B, query: { versioning: '' }, body: enabled });
    await send({ method: 'POST', path: `${B}/u`, query: { uploads: '' } });
    await send({ method: 'DELETE', path: `${B}/gone` });
    const abort =
      '<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation>' +
      '</AbortIncompleteMultipartUpload>';
    await put(configuration(`<ID>all</ID><Filter/>${ON}${DAYS_1}${abort}`));
    const { items } = (await dryRun({ at })).json;
    expect(items).toEqual([
      {
        action: 'remove',
        subject: 'lone-marker',
        key: 'gone',
        ruleId: 'all',
        versionId: expect.any(String),
      },
      { action: 'abort', subject: 'upload', key: 'u', ruleId: 'all', uploadId: expect.any(String) },
    ]);
  });

  it('goes on where its token says, and takes no other', async () => {
    await put(configuration(`<Filter/>${ON}${DAYS_1}`));
    for (let i = 0; i < 1001; i++) await send({ method: 'PUT', path: `${B}/${i}`, body: '' });
    const first = (await dryRun({ at })).json;
    expect(first.items).toHaveLength(1000);
    const rest = (await dryRun({ at, 'continuation-token': first.next })).json;
    expect([rest.items.length, rest.next]).toEqual([1, null]);
    for (const token of [
      'x',
      encodeToken('o1', '{}'),
      encodeToken('l1', 'null'),
      encodeToken('l1', '{"phase":"x"}'),
    ]) {
      expect(codeOf(await dryRun({ 'continuation-token': token }))).toEqual([
        400,
        'InvalidArgument',
      ]);
    }
    expect(codeOf(await dryRun({ at: 'tomorrow' }))).toEqual([400, 'InvalidArgument']);
    const asked = { path: B, query: { lifecycle: '', 'dry-run': '' } };
    for (const as of ['stranger', 'nobody'] as const) {
      expect(codeOf(await send({ ...asked, as }))).toEqual([403, 'AccessDenied']);
    }
  });
});

describe('x-amz-expiration', () => {
  const DAY = 24 * 3600 * 1000;
  /** The midnight after so many days. */
  const midnight = (count: number) =>
    new Date((Math.floor(NOW_MS / DAY) + count + 1) * DAY).toUTCString();
  const expiration = (date: string, id: string) => `expiry-date="${date}", rule-id="${id}"`;
  const write = (key: string, headers = {}) =>
    send({ method: 'PUT', path: `${B}/${key}`, body: 'x', headers });
  const of = (reply: Reply) => reply.headers['x-amz-expiration'];

  it('tells the first end that a rule foresees, where the object is written and read', async () => {
    await put(
      configuration(
        `<ID>later</ID><Filter/>${ON}<Expiration><Days>9</Days></Expiration>`,
        `<ID>first &amp; foremost</ID><Prefix>a/</Prefix>${ON}<Expiration><Days>2</Days>` +
          '</Expiration>',
        `<ID>off</ID><Prefix>a/</Prefix><Status>Disabled</Status>${DAYS_1}`,
        `<ID>marked</ID><Filter><Tag><Key>t</Key><Value>1</Value></Tag></Filter>${ON}${DAYS_1}`,
      ),
    );
    const first = expiration(midnight(2), 'first%20%26%20foremost');
    expect(of(await write('a/k'))).toBe(first);
    for (const method of ['GET', 'HEAD'])
      expect(of(await send({ method, path: `${B}/a/k` }))).toBe(first);
    expect(of(await write('b'))).toBe(expiration(midnight(9), 'later'));
    const marked = await write('b', { 'x-amz-tagging': 't=1' });
    expect(of(marked)).toBe(expiration(midnight(1), 'marked'));
    expect(of(await write('c', { 'x-amz-copy-source': `${B}/a/k` }))).toBe(
      expiration(midnight(9), 'later'),
    );
  });

  it('is absent where nothing ends', async () => {
    const marker =
      '<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>';
    await put(configuration(`<Filter/>${ON}${marker}`));
    expect(of(await write('k'))).toBeUndefined();
    await put(
      configuration(`<ID>d</ID><Filter/>${ON}<Expiration><Date>2015-01-01</Date></Expiration>`),
    );
    const past = expiration('Thu, 01 Jan 2015 00:00:00 GMT', 'd');
    expect(of(await send({ path: `${B}/k` }))).toBe(past);
    expect(of(await send({ path: `${B}/k`, query: { versionId: 'null' } }))).toBeUndefined();
  });

  it('has a sister for uploads', async () => {
    const abort =
      '<AbortIncompleteMultipartUpload><DaysAfterInitiation>3</DaysAfterInitiation>' +
      '</AbortIncompleteMultipartUpload>';
    await put(configuration(`<ID>a</ID><Prefix>u/</Prefix>${ON}${abort}`));
    const { headers } = await send({ method: 'POST', path: `${B}/u/k`, query: { uploads: '' } });
    expect([headers['x-amz-abort-date'], headers['x-amz-abort-rule-id']]).toEqual([
      midnight(3),
      'a',
    ]);
    const other = await send({ method: 'POST', path: `${B}/k`, query: { uploads: '' } });
    expect(other.headers['x-amz-abort-date']).toBeUndefined();
  });
});
