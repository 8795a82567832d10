// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policies write their variables so.
// Every place of a request where a stranger or an owner may write text, each as a request with a
// given text in it.
import { createHash } from 'node:crypto';

/**
 * What goes out: raw bytes of an unsigned request, or a request that the owner signs, or that is
 * sent to the JSON API.
 */
export type Sent =
  | { readonly kind: 'raw'; readonly head: readonly string[]; readonly body: string }
  | {
      readonly kind: 'signed' | 'api';
      readonly method: string;
      readonly path: string;
      readonly body: string | null;
    };

/** `withText` puts the text, which is latin1, where the place is. */
export type Place = { readonly name: string; readonly withText: (text: string) => Sent };

export const BUCKET = 'long-runs';
export const WEBSITE_DOMAIN = 'pages.test';

function raw(requestLine: string, headers: readonly string[], body = ''): Sent {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`];
  const hosts = headers.some((header) => header.startsWith('Host:')) ? [] : ['Host: s3.test'];
  return {
    kind: 'raw',
    head: [`${requestLine} HTTP/1.1`, ...hosts, ...headers, ...length, 'Connection: close'],
    body,
  };
}

/**
 * Headers of reads, which the fast path sees first, and of writes by anybody, which policy, tags
 * and lists of grants see.
 */
const READ_HEADERS = [
  ...[
    'Accept',
    'Accept-Encoding',
    'Accept-Language',
    'Access-Control-Request-Headers',
    'Access-Control-Request-Method',
  ],
  ...[
    'Authorization',
    'Cache-Control',
    'Cookie',
    'Date',
    'Forwarded',
    'If-Match',
    'If-Modified-Since',
  ],
  ...[
    'If-None-Match',
    'If-Range',
    'If-Unmodified-Since',
    'Origin',
    'Range',
    'Referer',
    'TE',
    'User-Agent',
  ],
  ...[
    'Want-Content-Digest',
    'Want-Digest',
    'Want-Repr-Digest',
    'X-Amz-Checksum-Mode',
    'X-Amz-Content-Sha256',
  ],
  ...[
    'X-Amz-Date',
    'X-Amz-Expected-Bucket-Owner',
    'X-Amz-Security-Token',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
  ],
  ...[
    'X-Amz-Object-Attributes',
    'X-Amz-Request-Payer',
    'X-Amz-Server-Side-Encryption-Customer-Key',
    'X-Other',
  ],
];
const WRITE_HEADERS = [
  ...[
    'Content-Disposition',
    'Content-Encoding',
    'Content-Language',
    'Content-MD5',
    'Content-Type',
    'Expect',
    'Expires',
  ],
  ...[
    'X-Amz-Acl',
    'X-Amz-Checksum-Crc32',
    'X-Amz-Checksum-Sha256',
    'X-Amz-Copy-Source',
    'X-Amz-Copy-Source-If-Match',
  ],
  ...[
    'X-Amz-Copy-Source-Range',
    'X-Amz-Decoded-Content-Length',
    'X-Amz-Grant-Full-Control',
    'X-Amz-Grant-Read',
  ],
  ...[
    'X-Amz-Meta-A',
    'X-Amz-Metadata-Directive',
    'X-Amz-Object-Lock-Retain-Until-Date',
    'X-Amz-Storage-Class',
  ],
  ...[
    'X-Amz-Object-Lock-Mode',
    'X-Amz-Sdk-Checksum-Algorithm',
    'X-Amz-Server-Side-Encryption',
    'X-Amz-Tagging',
  ],
  ...[
    'X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id',
    'X-Amz-Server-Side-Encryption-Context',
    'X-Amz-Trailer',
  ],
  ...['X-Amz-Website-Redirect-Location'],
];

const headerPlaces: readonly Place[] = [
  ...READ_HEADERS.map((header) => ({ header, line: `GET /${BUCKET}/read/a.txt` })),
  ...WRITE_HEADERS.map((header) => ({ header, line: `PUT /${BUCKET}/write/a.txt` })),
  ...['Accept', 'Referer', 'Range'].map((header) => ({
    header,
    line: `GET /${BUCKET}/read/a.png?w=10&format=auto`,
  })),
  ...['Origin', 'Access-Control-Request-Headers'].map((header) => ({
    header,
    line: `OPTIONS /${BUCKET}/read/a.txt`,
  })),
  ...['Authorization', 'Cookie', 'If-Match', 'Content-Type', 'Origin', 'Idempotency-Key'].map(
    (header) => ({
      header,
      line: 'POST /-/api/v1/sessions',
    }),
  ),
].map(({ header, line }) => ({
  name: `${header} of ${line}`,
  withText: (text) => raw(line, [`${header}: ${text}`], line.startsWith('P') ? '{}' : ''),
}));

/** Headers of which some value must be right before the rest is looked at. */
const PARTS_OF_HEADERS: readonly (readonly [name: string, header: (text: string) => string])[] = [
  ['a grantee', (text) => `X-Amz-Grant-Read: id${text}x`],
  ['a list of grantees', (text) => `X-Amz-Grant-Read: id="a", uri=${text}"`],
  ['a tag', (text) => `X-Amz-Tagging: a=${text}&b=${text}x`],
  [
    'a credential',
    (text) => `Authorization: AWS4-HMAC-SHA256 Credential=a/20261122/${text}/s3/aws4_request`,
  ],
  [
    'a signed header',
    (text) => `Authorization: AWS4-HMAC-SHA256 Credential=a, SignedHeaders=${text}, Signature=b`,
  ],
  ['a scheme', (text) => `Authorization: AWS4-HMAC-SHA256${text}x`],
  ['a bearer', (text) => `Authorization: Bearer ${text}\t`],
  ['an entity tag', (text) => `If-None-Match: "a"${text}"b",${text}`],
  ['a range', (text) => `Range: bytes=0-1,${text}-`],
  ['a quality', (text) => `Accept-Encoding: gzip;${text}q=0,${text}`],
  ['a forwarded host', (text) => `Forwarded: host=${text}"`],
  ['a date', (text) => `If-Modified-Since: Sun, 06 Nov 1994${text} GMT`],
  ['blanks within', (text) => `Referer: http://a/${text}b`],
  ['a user', (text) => `Referer: http://${text}@b/`],
];
const headerPartPlaces: readonly Place[] = PARTS_OF_HEADERS.map(([name, header]) => ({
  name: `${name} in a header`,
  withText: (text) => raw(`PUT /${BUCKET}/write/a.txt`, [header(text)], 'x'),
}));

/** Longest text in a target, with its escapes: the rest of a head of 32 KiB is for headers. */
const TARGET_MAX_LENGTH = 30_000;

/** Text as it may stand in a target. */
const inTarget = (text: string) =>
  text
    .replace(
      /[^!$&-;=@A-Z_a-z~%]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
    )
    .slice(0, TARGET_MAX_LENGTH);

const QUERIES: readonly string[] = [
  ...[
    'prefix',
    'delimiter',
    'marker',
    'max-keys',
    'encoding-type',
    'versionId',
    'partNumber',
    'uploadId',
    'download',
  ],
  ...[
    'list-type=2&continuation-token',
    'list-type=2&start-after',
    'versions&key-marker',
    'uploads&upload-id-marker',
  ],
  ...[
    'response-content-type',
    'response-expires',
    'w',
    'format',
    'q',
    'zip',
    'x-id',
    'format=json&limit',
  ],
  ...[
    'X-Amz-Credential',
    'X-Amz-Signature',
    'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-SignedHeaders',
    'AWSAccessKeyId',
  ],
];
const targetPlaces: readonly Place[] = [
  ...QUERIES.flatMap((query) =>
    [`/${BUCKET}`, `/${BUCKET}/read/a.png`].map((path) => ({
      name: `${query} in the query of ${path}`,
      withText: (text: string) =>
        raw(`GET ${path}?${query}=${inTarget(text)}x`, ['Referer: http://a/?a=b']),
    })),
  ),
  { name: 'a query', withText: (text) => raw(`GET /${BUCKET}?${inTarget(text)}`, []) },
  { name: 'a path', withText: (text) => raw(`GET /${BUCKET}/read/${inTarget(text)}x`, []) },
  { name: 'a path alone', withText: (text) => raw(`GET /${inTarget(text)}`, []) },
  {
    name: 'a path of the JSON API',
    withText: (text) => raw(`GET /-/api/v1/buckets/${inTarget(text)}x`, []),
  },
  {
    name: 'a query of the JSON API',
    withText: (text) => raw(`GET /-/api/v1/buckets?cursor=${inTarget(text)}`, []),
  },
  { name: 'a host', withText: (text) => raw(`GET /${BUCKET}/read/a.txt`, [`Host: ${text}x`]) },
  {
    name: 'a path of a site',
    withText: (text) => raw(`GET /go/${inTarget(text)}x`, [`Host: ${BUCKET}.${WEBSITE_DOMAIN}`]),
  },
];

const BOUNDARY = 'multipart/form-data; boundary=x';
const part = (disposition: string, value: string) =>
  `--x\r\nContent-Disposition: ${disposition}\r\n\r\n${value}\r\n`;
const KEY_PART = part('form-data; name="key"', 'write/form');
const form = (parts: string, type = BOUNDARY) =>
  raw(
    `POST /${BUCKET}`,
    [`Content-Type: ${type}`],
    `${parts}${part('form-data; name="file"; filename="a"', 'x')}--x--\r\n`,
  );

/** Where a text stands three times, with a third of it each time. */
const inThree = (text: string, withThird: (third: string) => string) =>
  withThird(text.slice(0, text.length / 3));

const formPlaces: readonly Place[] = [
  {
    name: 'the type of a form',
    withText: (text) =>
      form(
        KEY_PART,
        inThree(text, (third) => `multipart/form-data${third};${third}boundary=${third}x`),
      ),
  },
  {
    name: 'a disposition',
    withText: (text) => form(part(`${text}form-data${text};name=${text}key`, 'k')),
  },
  {
    name: 'the name of a part',
    withText: (text) => form(part(`form-data; ${text}name="${text}"`, 'k')),
  },
  {
    name: 'the type of a part',
    withText: (text) => form(part(`form-data; name="file"\r\nContent-Type: a${text}b`, 'x')),
  },
  {
    name: 'the name of a file',
    withText: (text) => form(part(`form-data; name="file"; filename="${text}/"`, 'x')),
  },
  ...[
    'key',
    'policy',
    'tagging',
    'acl',
    'success_action_redirect',
    'x-amz-credential',
    'Content-Type',
    'x-amz-meta-a',
  ].map((name) => ({
    name: `the field ${name}`,
    withText: (text: string) =>
      form(part(`form-data; name="${name}"`, text.slice(0, 19_000)) + KEY_PART),
  })),
];

const DOCUMENTS: readonly (readonly [
  method: string,
  query: string,
  xml: (text: string) => string,
])[] = [
  ['POST', 'delete', (text) => `<Delete><Object><Key>${text}</Key></Object></Delete>`],
  [
    'POST',
    'delete',
    (text) => `<Delete><Object ${text}><Key>${text}</Key></Object>${text}</Delete>`,
  ],
  [
    'PUT',
    'tagging',
    (text) =>
      `<Tagging><TagSet><Tag><Key>${text}</Key><Value>${text}</Value></Tag></TagSet></Tagging>`,
  ],
  [
    'PUT',
    'cors',
    (text) =>
      `<CORSConfiguration><CORSRule><AllowedOrigin>${text}</AllowedOrigin>` +
      '</CORSRule></CORSConfiguration>',
  ],
  [
    'PUT',
    'lifecycle',
    (text) =>
      `<LifecycleConfiguration><Rule><ID>${text}</ID></Rule>${text}</LifecycleConfiguration>`,
  ],
  [
    'PUT',
    'website',
    (text) =>
      `<WebsiteConfiguration><IndexDocument><Suffix>${text}</Suffix>` +
      '</IndexDocument></WebsiteConfiguration>',
  ],
  [
    'PUT',
    'acl',
    (text) => `<AccessControlPolicy><Owner><ID>${text}</ID></Owner></AccessControlPolicy>`,
  ],
  [
    'PUT',
    'encryption',
    (text) => `<?xml version="1.0" encoding="${text}"?><ServerSideEncryptionConfiguration/>`,
  ],
  [
    'PUT',
    'notification',
    (text) => `<NotificationConfiguration>${text}</NotificationConfiguration>`,
  ],
  [
    'PUT',
    'versioning',
    (text) =>
      `<VersioningConfiguration><!--${text}--><Status>${text}</Status></VersioningConfiguration>`,
  ],
  ['PUT', 'policy', (text) => JSON.stringify({ Version: '2012-10-17', Statement: text })],
  [
    'PUT',
    'policy',
    (text) => JSON.stringify(policyOf({ Resource: `arn:aws:s3:::${BUCKET}/${text}` })),
  ],
  [
    'PUT',
    'policy',
    (text) =>
      JSON.stringify(policyOf({ Condition: { NumericEquals: { 's3:max-keys': `${text}x` } } })),
  ],
  [
    'PUT',
    'hosting',
    (text) =>
      JSON.stringify({ cacheControlRules: [{ match: text.slice(0, 250), cacheControl: text }] }),
  ],
  ['POST', 'purge', (text) => JSON.stringify({ keys: [text] })],
];
const documentPlaces: readonly Place[] = DOCUMENTS.map(([method, query, document], i) => ({
  name: `document ${i}, ${query}`,
  withText: (text) => ({
    kind: 'signed',
    method,
    path: `/${BUCKET}-settings?${query}`,
    body: document(text),
  }),
}));

/** A policy of one statement. */
export function policyOf(statement: object): object {
  const usual = {
    Effect: 'Allow',
    Principal: '*',
    Action: 's3:GetObject',
    Resource: `arn:aws:s3:::${BUCKET}-settings/*`,
  };
  return { Version: '2012-10-17', Statement: [{ ...usual, ...statement }] };
}

const API_SETTINGS: readonly (readonly [name: string, value: (text: string) => unknown])[] = [
  ['policy', (text) => ({ Version: '2012-10-17', Statement: [{ Sid: text }] })],
  ['cors', (text) => [{ allowedMethods: ['GET'], allowedOrigins: [text] }]],
  ['lifecycle', (text) => [{ id: text, filter: { prefix: text } }]],
  ['tags', (text) => ({ [text]: text })],
  ['website', (text) => ({ indexSuffix: text, routingRules: [{ redirect: { hostName: text } }] })],
  ['hosting', (text) => ({ domains: [{ host: text }], hotlink: { allowedHosts: [text] } })],
  ['versioning', (text) => text],
];
const apiPlaces: readonly Place[] = API_SETTINGS.map(([name, value]) => ({
  name: `the setting ${name} of the JSON API`,
  withText: (text) => ({
    kind: 'api',
    method: 'PATCH',
    path: `/buckets/${BUCKET}-settings`,
    body: JSON.stringify({ [name]: value(text) }),
  }),
}));

/** Rule files, which the next visit of the site reads. */
const rulePlaces: readonly Place[] = (
  [
    ['_redirects', (text: string) => `/a${text}b /c 301\n${text}`],
    [
      '_redirects',
      (text: string) => `/go/* /to/${text.slice(0, 1900)} 301\n/x/:a${text.slice(0, 1900)} /:a`,
    ],
    ['_headers', (text: string) => `/a${text}\n  X-A: ${text}b\n${text}`],
    [
      '_headers',
      (text: string) => `/*\n  X-A: ${text.slice(0, 1900)}b\n  !${text.slice(0, 1900)}b`,
    ],
  ] as const
).map(([file, content], i) => ({
  name: `rule file ${i}, ${file}`,
  withText: (text) => ({
    kind: 'signed',
    method: 'PUT',
    path: `/${BUCKET}/${file}`,
    body: content(text),
  }),
}));

/** A bucket whose policy is as long as one may be, and looks through all that it can. */
export const PATTERNS_BUCKET = `${BUCKET}-patterns`;

export function patternsPolicy(): object {
  const anybody = { Principal: '*', Resource: `arn:aws:s3:::${PATTERNS_BUCKET}/*` };
  const many = (count: number, pattern: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => pattern(i));
  const resources = many(200, (i) => `arn:aws:s3:::${PATTERNS_BUCKET}/*${i}?x*`);
  const headers = {
    'aws:UserAgent': many(200, (i) => `*${i}?y*`),
    'aws:Referer': many(200, () => '*${aws:UserAgent}?*'),
  };
  return {
    Version: '2012-10-17',
    Statement: [
      { ...anybody, Effect: 'Allow', Action: ['s3:GetObject', 's3:DeleteObject'] },
      { ...anybody, Effect: 'Deny', Action: 's3:*', Resource: resources },
      { ...anybody, Effect: 'Deny', Action: 's3:*', Condition: { StringLike: headers } },
    ],
  };
}

/** Longest key, characters, and how many a request may name. */
const KEY_MAX_LENGTH = 1024;
const KEYS_MAX = 1000;

const inXml = (text: string) => text.replace(/[<&]/g, (sign) => `&#${sign.charCodeAt(0)};`);

function deleteMany(text: string): Sent {
  const keyOf = (i: number) => inXml(`${i}${text}`.slice(0, KEY_MAX_LENGTH));
  const objects = Array.from(
    { length: KEYS_MAX },
    (_, i) => `<Object><Key>${keyOf(i)}</Key></Object>`,
  );
  const body = `<Delete>${objects.join('')}</Delete>`;
  const digest = createHash('md5').update(body, 'latin1').digest('base64');
  return raw(`POST /${PATTERNS_BUCKET}?delete`, [`Content-MD5: ${digest}`], body);
}

const patternsPlaces: readonly Place[] = [
  { name: 'many keys under a long policy', withText: deleteMany },
  {
    name: 'a key under a long policy',
    withText: (text) =>
      raw(`GET /${PATTERNS_BUCKET}/${inTarget(text.slice(0, KEY_MAX_LENGTH))}`, []),
  },
  ...['Referer', 'User-Agent'].map((header) => ({
    name: `${header} under a long policy`,
    withText: (text: string) => raw(`GET /${PATTERNS_BUCKET}/a`, [`${header}: ${text}`]),
  })),
  {
    name: 'two headers under a long policy',
    withText: (text) => {
      const half = text.slice(0, text.length / 2);
      return raw(`GET /${PATTERNS_BUCKET}/a`, [`Referer: ${half}`, `User-Agent: ${half}b`]);
    },
  },
];

export const PLACES: readonly Place[] = [
  ...headerPlaces,
  ...headerPartPlaces,
  ...targetPlaces,
  ...formPlaces,
  ...documentPlaces,
  ...apiPlaces,
  ...rulePlaces,
  ...patternsPlaces,
];
