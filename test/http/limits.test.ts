// Every limit of what a request may say is as high as it says, and no higher: each line is tried
// with the limit and with one more.
import { expect, it } from 'vitest';
import { XML_MAX_BYTES } from '../../src/core/limits.ts';
import type { CorsRule } from '../../src/domain/bucket-settings.ts';
import { readLifecycle } from '../../src/http/s3/formats/lifecycle-document.ts';
import { readXml } from '../../src/http/s3/formats/xml-read.ts';
import { readRequestedEncryption } from '../../src/http/s3/headers/encryption-headers.ts';
import { FIELDS_MAX_BYTES, openForm } from '../../src/http/s3/post/form-body.ts';
import { parsePostPolicy } from '../../src/http/s3/post/post-policy.ts';
import { parseCredential } from '../../src/http/s3/signature/credential.ts';
import {
  checkExpiry,
  checkSkew,
  parseAmzDate,
  requireBefore,
} from '../../src/http/s3/signature/request-time.ts';
import { isCompressible } from '../../src/http/semantics/compressible.ts';
import { requireFileName } from '../../src/http/semantics/content-disposition.ts';
import { findCorsGrant } from '../../src/http/semantics/cors.ts';
import { digestHeaders } from '../../src/http/semantics/digest-fields.ts';
import { parseHttpDate } from '../../src/http/semantics/http-date.ts';
import { parseImageQuery } from '../../src/http/semantics/image-query.ts';
import { readObjectAttributes } from '../../src/http/semantics/object-headers.ts';
import { areTaken, type LimitLine, list, text } from '../limit-lines.ts';

const bytesOf = (document: string) => new TextEncoder().encode(document);
const withHeaders = (headers: Readonly<Record<string, string>>) => ({
  header: (name: string) => headers[name] ?? null,
  headerNames: () => Object.keys(headers).values(),
});

const attributes = (headers: Readonly<Record<string, string>>) =>
  readObjectAttributes(withHeaders(headers));
const RULE: CorsRule = {
  id: null,
  allowedMethods: ['PUT'],
  allowedOrigins: ['*'],
  allowedHeaders: ['*'],
  exposeHeaders: [],
  maxAgeSeconds: null,
};
const ANY = { sizes: 'any', maxSize: 4096 } as const;
const TIME = parseAmzDate('20260101T000000Z') ?? expect.fail();
const MINUTE_MS = 60_000;
const aType = { 'content-type': 'text/plain' };

const context = (length: number) =>
  // Four characters for three bytes, and two of a quote: 1,024 are 768 bytes.
  bytesOf(`{"a":"${text((length / 4) * 3 - 8)}"}`).toBase64();

/** A form of one part whose head or value is of any length, in front of the file. */
const form = (parts: readonly string[], boundary = 'x') =>
  openForm(`multipart/form-data; boundary=${boundary}`, {
    lengthBytes: null,
    pump: (onChunk) =>
      Promise.resolve(
        onChunk(
          bytesOf(
            `${[...parts, field('file', 'body')]
              .map((part) => `--${boundary}\r\n${part}\r\n`)
              .join('')}--${boundary}--\r\n`,
          ),
        ),
      ),
  }).then((opened) => {
    opened.discard();
    return true;
  });
const field = (name: string, value: string) =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;

const lifecycle = (rules: number) =>
  readLifecycle(
    bytesOf(
      `<LifecycleConfiguration>${'<Rule><Prefix/><Status>Enabled</Status></Rule>'.repeat(rules)}` +
        '</LifecycleConfiguration>',
    ),
    () => 'id',
  );

it.each<LimitLine>([
  ['bytes of XML', XML_MAX_BYTES, (count) => readXml(bytesOf(`<a>${text(count - 7)}</a>`), 'a')],
  [
    'characters of a tag of XML',
    1024,
    (count) => readXml(bytesOf(`<a b="${text(count - 7)}"></a>`), 'a'),
  ],
  [
    'levels of XML',
    8,
    (count) => readXml(bytesOf(`${'<a>'.repeat(count)}${'</a>'.repeat(count)}`), 'a'),
  ],
  ['elements of XML', 3, (count) => readXml(bytesOf(`<a>${'<b/>'.repeat(count - 1)}</a>`), 'a', 3)],
  ['rules of lifecycle', 1000, lifecycle],
  [
    'characters of the name of a download',
    255,
    (count) => requireFileName(text(count), 'download'),
  ],
  [
    'headers that a script asks for',
    100,
    (count) =>
      findCorsGrant([RULE], {
        origin: 'https://example.org',
        method: 'PUT',
        requestedHeaders: list(count, (at) => `x-${at}`),
      }),
  ],
  [
    'characters of a request for digests',
    512,
    (count) =>
      Object.keys(
        digestHeaders(
          withHeaders({ 'want-repr-digest': `${' '.repeat(count - 5)}md5=1` }),
          { etag: 'a'.repeat(32), checksum: null, encryption: null, inlineBytes: null },
          true,
        ) ?? {},
      ).length > 0,
  ],
  ['bytes of kept headers', 8192, (count) => attributes({ 'cache-control': text(count) })],
  [
    'bytes of user metadata, with their names',
    2048,
    (count) => attributes({ 'x-amz-meta-name': text(count - 4) }),
  ],
  [
    'bytes of a redirect',
    2048,
    (count) => attributes({ 'x-amz-website-redirect-location': `/${text(count - 1)}` }),
  ],
  ['bytes that are compressed', 4096, (count) => isCompressible(aType, count, 4096)],
  ['pixels of an image', 4096, (count) => parseImageQuery(`w=${count}`, null, 'png', ANY)],
  ['quality of an image', 100, (count) => parseImageQuery(`w=1&q=${count}`, null, 'png', ANY)],
  [
    'characters of a credential',
    256,
    (count) => !('problem' in parseCredential(`${text(count - 30)}/20260101/auto/s3/aws4_request`)),
  ],
  ['milliseconds of skew', 15 * MINUTE_MS, (count) => checkSkew(TIME, '', TIME.timeMs + count)],
  [
    'milliseconds that a URL may be dated ahead',
    15 * MINUTE_MS,
    (count) => checkExpiry(TIME, 60, TIME.timeMs - count),
  ],
  ['milliseconds of a URL', 60_000, (count) => checkExpiry(TIME, 60, TIME.timeMs + count)],
  ['milliseconds until an end', 0, (count) => requireBefore(TIME.timeMs, TIME.timeMs + count)],
  ['fields of a form', 200, (count) => form(list(count, (at) => field(`f${at}`, '')))],
  [
    'bytes of all fields of a form',
    FIELDS_MAX_BYTES,
    (count) => form([field('a', text(count - 1))]),
  ],
  [
    'bytes of the head of a part',
    4096,
    (count) => {
      // The line break behind the boundary counts.
      const head = `\r\n${field('a', '').trimEnd()}; b=`;
      return form([`${head.trimStart()}${text(count - head.length)}\r\n\r\n`]);
    },
  ],
  ['characters of a boundary', 70, (count) => form([], text(count))],
  [
    'seconds of a minute',
    60,
    (count) => parseHttpDate(`Fri, 01 Jan 2027 00:00:${count} GMT`) !== null,
  ],
  ['minutes of an hour', 59, (count) => parseHttpDate(`Fri, 01 Jan 2027 00:${count}:00 GMT`)],
  ['hours of a day', 23, (count) => parseHttpDate(`Fri, 01 Jan 2027 ${count}:00:00 GMT`)],
  ['days of January', 31, (count) => parseHttpDate(`Fri, ${count} Jan 2027 00:00:00 GMT`)],
  ['days of April', 30, (count) => parseHttpDate(`Fri, ${count} Apr 2027 00:00:00 GMT`)],
  ['days of June', 30, (count) => parseHttpDate(`Fri, ${count} Jun 2027 00:00:00 GMT`)],
  ['days of September', 30, (count) => parseHttpDate(`Fri, ${count} Sep 2027 00:00:00 GMT`)],
  ['days of November', 30, (count) => parseHttpDate(`Fri, ${count} Nov 2027 00:00:00 GMT`)],
  ['days of February', 28, (count) => parseHttpDate(`Fri, ${count} Feb 2027 00:00:00 GMT`)],
  ['days of February 2028', 29, (count) => parseHttpDate(`Fri, ${count} Feb 2028 00:00:00 GMT`)],
  ['days of February 2100', 28, (count) => parseHttpDate(`Fri, ${count} Feb 2100 00:00:00 GMT`)],
  ['days of February 2000', 29, (count) => parseHttpDate(`Fri, ${count} Feb 2000 00:00:00 GMT`)],
])('%s may be %d, and no more', async (_what, limit, accept) => {
  expect(await areTaken(accept, limit, limit + 1)).toEqual([true, false]);
});

it.each<LimitLine>([
  ['rules of lifecycle', 1, lifecycle],
  ['bytes that are compressed', 1024, (count) => isCompressible(aType, count, 4096)],
  ['pixels of an image', 1, (count) => parseImageQuery(`w=${count}`, null, 'png', ANY)],
  ['quality of an image', 1, (count) => parseImageQuery(`w=1&q=${count}`, null, 'png', ANY)],
  [
    'elements of a condition of a form',
    3,
    (count) =>
      parsePostPolicy(
        JSON.stringify({
          expiration: '2027-01-01T00:00:00Z',
          conditions: [['eq', '$key', 'a'].slice(0, count)],
        }),
      ),
  ],
])('%s may be %d, and no less', async (_what, limit, accept) => {
  expect(await areTaken(accept, limit, limit - 1)).toEqual([true, false]);
});

it.each([
  [1024, true],
  [1028, false],
])('an encryption context of %d characters is taken: %s', async (length, isTaken) => {
  const request = {
    ...withHeaders({
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-context': context(length),
    }),
    isConfidential: true,
  };
  const accept = () => readRequestedEncryption(request as never, null as never) !== undefined;
  expect(await areTaken(accept, length)).toEqual([isTaken]);
});
