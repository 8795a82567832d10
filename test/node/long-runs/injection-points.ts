// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policies write their variables so.
// All injection points of requests: headers, targets, forms, documents, settings of the JSON API,
// rule files and policies. long-runs.test.ts writes long runs of one character at each.
import { createHash } from 'node:crypto';
import { headerPartPoints, headerPoints } from './header-points.ts';
import { BUCKET, type InjectionPoint, raw, type Sent, WEBSITE_DOMAIN } from './injection-point.ts';

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
  'prefix',
  'delimiter',
  'marker',
  'max-keys',
  'encoding-type',
  'versionId',
  'partNumber',
  'uploadId',
  'download',
  'list-type=2&continuation-token',
  'list-type=2&start-after',
  'versions&key-marker',
  'uploads&upload-id-marker',
  'response-content-type',
  'response-expires',
  'w',
  'format',
  'q',
  'zip',
  'x-id',
  'format=json&limit',
  'X-Amz-Credential',
  'X-Amz-Signature',
  'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-SignedHeaders',
  'AWSAccessKeyId',
];
const targetPoints: readonly InjectionPoint[] = [
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

const formPoints: readonly InjectionPoint[] = [
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
const documentPoints: readonly InjectionPoint[] = DOCUMENTS.map(([method, query, document], i) => ({
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
const apiPoints: readonly InjectionPoint[] = API_SETTINGS.map(([name, value]) => ({
  name: `the setting ${name} of the JSON API`,
  withText: (text) => ({
    kind: 'api',
    method: 'PATCH',
    path: `/buckets/${BUCKET}-settings`,
    body: JSON.stringify({ [name]: value(text) }),
  }),
}));

/** Rule files, which the next visit of the site reads. */
const rulePoints: readonly InjectionPoint[] = (
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

const patternsPoints: readonly InjectionPoint[] = [
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

export const INJECTION_POINTS: readonly InjectionPoint[] = [
  ...headerPoints,
  ...headerPartPoints,
  ...targetPoints,
  ...formPoints,
  ...documentPoints,
  ...apiPoints,
  ...rulePoints,
  ...patternsPoints,
];
