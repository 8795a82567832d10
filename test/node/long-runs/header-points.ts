// Injection points in headers, whole and in their parts. injection-points.ts lists all points.
import { BUCKET, type InjectionPoint, raw } from './injection-point.ts';

/**
 * Headers of reads, which the fast path sees first, and of writes by anybody, which policy, tags
 * and lists of grants see.
 */
const READ_HEADERS = [
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Access-Control-Request-Headers',
  'Access-Control-Request-Method',
  'Authorization',
  'Cache-Control',
  'Cookie',
  'Date',
  'Forwarded',
  'If-Match',
  'If-Modified-Since',
  'If-None-Match',
  'If-Range',
  'If-Unmodified-Since',
  'Origin',
  'Range',
  'Referer',
  'TE',
  'User-Agent',
  'Want-Content-Digest',
  'Want-Digest',
  'Want-Repr-Digest',
  'X-Amz-Checksum-Mode',
  'X-Amz-Content-Sha256',
  'X-Amz-Date',
  'X-Amz-Expected-Bucket-Owner',
  'X-Amz-Security-Token',
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'X-Amz-Object-Attributes',
  'X-Amz-Request-Payer',
  'X-Amz-Server-Side-Encryption-Customer-Key',
  'X-Other',
];
const WRITE_HEADERS = [
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Content-MD5',
  'Content-Type',
  'Expect',
  'Expires',
  'X-Amz-Acl',
  'X-Amz-Checksum-Crc32',
  'X-Amz-Checksum-Sha256',
  'X-Amz-Copy-Source',
  'X-Amz-Copy-Source-If-Match',
  'X-Amz-Copy-Source-Range',
  'X-Amz-Decoded-Content-Length',
  'X-Amz-Grant-Full-Control',
  'X-Amz-Grant-Read',
  'X-Amz-Meta-A',
  'X-Amz-Metadata-Directive',
  'X-Amz-Object-Lock-Retain-Until-Date',
  'X-Amz-Storage-Class',
  'X-Amz-Object-Lock-Mode',
  'X-Amz-Sdk-Checksum-Algorithm',
  'X-Amz-Server-Side-Encryption',
  'X-Amz-Tagging',
  'X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id',
  'X-Amz-Server-Side-Encryption-Context',
  'X-Amz-Trailer',
  'X-Amz-Website-Redirect-Location',
];

export const headerPoints: readonly InjectionPoint[] = [
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
export const headerPartPoints: readonly InjectionPoint[] = PARTS_OF_HEADERS.map(
  ([name, header]) => ({
    name: `${name} in a header`,
    withText: (text) => raw(`PUT /${BUCKET}/write/a.txt`, [header(text)], 'x'),
  }),
);
