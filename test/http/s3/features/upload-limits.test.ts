// Limits of a presigned URL are read once for a request, whatever steps it takes.
import { expect, it } from 'vitest';
import type { S3Call } from '../../../../src/http/s3/call/call.ts';
import { createUploadLimits } from '../../../../src/http/s3/features/upload-limits.ts';
import { parseQuery } from '../../../../src/http/semantics/raw-path.ts';
import { createMemoryCore } from '../../../core/memory-core.ts';

it('a presigned upload reads the limits of its request once', () => {
  const plain = parseQuery('x-quayside-max-bytes=5&X-Amz-Signature=s');
  let reads = 0;
  const query = {
    ...plain,
    get(name: string) {
      if (name === 'x-quayside-max-bytes') reads += 1;
      return plain.get(name);
    },
  };
  const call = {
    ...{ operation: 'PutObject', isPresigned: true, isQuerySigned: true, query },
    header: () => null,
    body: { source: { lengthBytes: 3, pump: async () => {} } },
  } as unknown as S3Call;
  const { screen, limit, wrap } = createUploadLimits(createMemoryCore());
  screen?.(call);
  const limited = limit?.(call) ?? call;
  const handle = () => new Response() as never;
  expect(limited.body.source).not.toBe(call.body.source);
  expect(wrap?.({ call: limited, bucket: null } as never, handle)).toBe(handle);
  expect(reads).toBe(1);
});
