// Forms of drop links that strangers make larger than any page would.
import { expect, it } from 'vitest';
import { createApp } from '../../../../src/app.ts';
import { parseConfig } from '../../../../src/config.ts';
import { createDropLink } from '../../../../src/core/links/drop/drop-links.ts';
import { DROP_FORM_FILES_MAX } from '../../../../src/domain/links/link-limits.ts';
import { createMemoryCore, openTestBucket } from '../../../core/memory-core.ts';
import { makeRequest } from '../../s3/kit/make-request.ts';

it('a drop link takes a hundred files of a form, and names as many of the others', async () => {
  const core = createMemoryCore();
  const config = parseConfig(
    { QUAYSIDE_ROOT_ACCESS_KEY: 'root-key', QUAYSIDE_ROOT_SECRET_KEY: 'root-secret' },
    'node',
  );
  const app = createApp(core.ports, config, () => makeRequest({ target: '/' }));
  const bucket = await openTestBucket(core);
  const { link } = await createDropLink(
    core,
    bucket,
    {
      prefix: 'in/',
      quarantine: null,
      template: '{name}',
      limits: {
        fileBytes: null,
        files: 1000,
        totalBytes: null,
        senderFiles: null,
        senderBytes: null,
        types: null,
      },
      page: {
        title: null,
        text: null,
        colour: null,
        name: 'optional',
        mail: 'none',
        note: 'none',
      },
      note: '',
      expiresAtMs: null,
      revokedAtMs: null,
    },
    { memberId: null, accessKeyId: null },
  );
  const part = (number: number) =>
    `--b\r\ncontent-disposition: form-data; name="f"; filename="${number}.txt"\r\n\r\nx\r\n`;
  const parts = Array.from({ length: 5 * DROP_FORM_FILES_MAX }, (_, number) => part(number));
  const body = new TextEncoder().encode(`${parts.join('')}--b--\r\n`);
  const response = await app.fastPath.answerFully(
    makeRequest({
      method: 'POST',
      target: `/-/d/${link.id}`,
      headers: {
        host: 'files.test',
        'content-type': 'multipart/form-data; boundary=b',
        'content-length': `${body.length}`,
      },
      body: [body],
    }),
  );
  const { files, refused } = await response.json();
  expect([response.status, files.length, refused.length]).toEqual([
    400,
    DROP_FORM_FILES_MAX,
    DROP_FORM_FILES_MAX,
  ]);
  expect(refused[0]).toMatchObject({ name: `${DROP_FORM_FILES_MAX}.txt`, code: 'InvalidRequest' });
});
