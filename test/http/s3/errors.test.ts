import { describe, expect, it } from 'vitest';
import { problemResponse } from '../../../src/api/routing/problem.ts';
import { ERROR_MESSAGES, type ErrorCode, StorageError } from '../../../src/domain/errors.ts';
import { newRequestNotes } from '../../../src/http/observe/request-notes.ts';
import { renderS3Error } from '../../../src/http/s3/errors.ts';
import { ERROR_STATUS } from '../../../src/http/semantics/error-status.ts';

const REQUEST = { method: 'GET', requestId: 'R1', resource: '/b/k%20<' };

async function render(error: unknown, method = 'GET') {
  const response = renderS3Error(error, { ...REQUEST, method });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
}

it('an error document is S3 XML: code, message, fields, resource, ids, no namespace', async () => {
  const error = new StorageError('NoSuchKey', { fields: { Key: 'a&b\r' } });
  expect(await render(error)).toEqual({
    status: 404,
    headers: {
      'cache-control': 'no-store',
      'content-type': 'application/xml',
      'x-amz-request-id': 'R1',
      'x-amz-id-2': 'R1',
      server: 'Quayside',
    },
    text:
      '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code>' +
      '<Message>The specified key does not exist.</Message><Key>a&amp;b&#xD;</Key>' +
      '<Resource>/b/k%20&lt;</Resource><RequestId>R1</RequestId><HostId>R1</HostId></Error>',
  });
});

// Source: the error responses of Amazon S3, as its servers send them.
it.each([
  ['NoSuchBucket', 'The specified bucket does not exist'],
  ['NoSuchBucketPolicy', 'The bucket policy does not exist'],
  ['NoSuchCORSConfiguration', 'The CORS configuration does not exist'],
  ['NoSuchKey', 'The specified key does not exist.'],
  ['NoSuchTagSet', 'The TagSet does not exist'],
  ['NoSuchWebsiteConfiguration', 'The specified bucket does not have a website configuration'],
  ['InvalidRange', 'The requested range is not satisfiable'],
  [
    'ServerSideEncryptionConfigurationNotFoundError',
    'The server side encryption configuration was not found',
  ],
] as const)('%s has S3’s words', async (code, message) => {
  expect((await render(new StorageError(code))).text).toContain(`<Message>${message}</Message>`);
});

const codes = Object.keys(ERROR_MESSAGES) as ErrorCode[];
it.each(codes)('%s has its status and a message', async (code) => {
  const { status, headers, text } = await render(new StorageError(code));
  expect(status).toBe(ERROR_STATUS[code]);
  expect(headers['x-amz-request-id']).toBe('R1');
  expect(text).toMatch(/<Message>[^<]+<\/Message>/);
  expect(text).toContain(`<Code>${status === 500 ? 'InternalError' : code}</Code>`);
});

describe('what is ours stays inside', () => {
  it.each([
    new Error('disk /var/data is on fire'),
    new StorageError('InternalError', {
      detail: 'disk /var/data is on fire',
      fields: { Path: '/var/data' },
    }),
    new StorageError('BucketChanged'),
    'disk /var/data is on fire',
    undefined,
  ])('is no part of the document of %s', async (error) => {
    const { status, text } = await render(error);
    expect(status).toBe(500);
    expect(text).toContain('<Code>InternalError</Code><Message>We encountered an internal error.');
    expect(text).toContain('<RequestId>R1</RequestId>');
    expect(text).not.toContain('/var/data');
  });
});

it.each(['GET', 'HEAD'])('the error of a %s is noted for the logs', (method) => {
  const notes = newRequestNotes();
  renderS3Error(new StorageError('NoSuchKey'), { ...REQUEST, method, notes });
  expect(notes.errorCode).toBe('NoSuchKey');
});

describe('HEAD', () => {
  it('has the headers and no body', async () => {
    const { status, headers, text } = await render(new StorageError('NoSuchKey'), 'HEAD');
    expect([status, text, headers['x-amz-request-id']]).toEqual([404, '', 'R1']);
  });
});

describe('headers of some statuses', () => {
  it('405 lists the methods, 416 the size, 503 when to come back', async () => {
    const notAllowed = new StorageError('MethodNotAllowed', {
      fields: { Method: 'PUT', Allow: 'GET, HEAD' },
    });
    const answer = await render(notAllowed);
    expect(answer.headers.allow).toBe('GET, HEAD');
    expect(answer.text).not.toContain('<Allow>');
    expect((await render(new StorageError('MethodNotAllowed'))).headers.allow).toBe('');
    const range = new StorageError('InvalidRange', { fields: { ActualObjectSize: '7' } });
    expect((await render(range)).headers['content-range']).toBe('bytes */7');
    expect((await render(new StorageError('SlowDown'))).headers['retry-after']).toBe('1');
  });

  it.each(['UsageCapReached', 'SpendingCapReached'] as const)(
    '%s says when to come back, in the header alone',
    async (code) => {
      const refused = new StorageError(code, { fields: { Cap: 'c', RetryAfterSeconds: '4200' } });
      for (const method of ['GET', 'HEAD']) {
        const { headers, text } = await render(refused, method);
        expect([headers['retry-after'], text.includes('4200')]).toEqual(['4200', false]);
      }
      expect(problemResponse(refused, 'R1').headers['retry-after']).toBe('4200');
      expect((await render(new StorageError(code))).headers['retry-after']).toBe(undefined);
    },
  );
});
