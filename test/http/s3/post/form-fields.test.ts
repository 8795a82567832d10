import { describe, expect, it } from 'vitest';
import { FIELDS_MAX_BYTES, openForm } from '../../../../src/http/s3/post/form-body.ts';
import { failing } from '../kit/responses.ts';

const FILE =
  '------x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nb\r\n------x--\r\n';
const field = (name: string, value: string) =>
  `------x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

function open(fields: readonly string[]) {
  const bytes = new TextEncoder().encode(fields.join('') + FILE);
  return openForm('multipart/form-data; boundary=----x', {
    lengthBytes: bytes.length,
    pump: async (onChunk) => onChunk(bytes),
  });
}

describe('the fields of a form', () => {
  it('are as many as S3 takes bytes of, names counted with values', async () => {
    const fitting = 'v'.repeat(FIELDS_MAX_BYTES - 'ab'.length - 10_000);
    const form = await open([field('a', 'v'.repeat(10_000)), field('b', fitting)]);
    expect([...form.fields.keys()]).toEqual(['a', 'b']);
    form.discard();
    await expect(open([field('a', 'v'.repeat(10_000)), field('b', `${fitting}v`)])).rejects.toEqual(
      failing('MaxPostPreDataLengthExceededError'),
    );
  });

  it('are 200 at most', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => field(`f${i}`, 'v'));
    const form = await open(many(200));
    expect(form.fields.size).toBe(200);
    form.discard();
    await expect(open(many(201))).rejects.toEqual(failing('MaxPostPreDataLengthExceededError'));
  });
});
