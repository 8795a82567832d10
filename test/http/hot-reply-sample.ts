import type { BucketName } from '../../src/domain/nouns.ts';
import type { HotReply } from '../../src/http/request.ts';

/** A whole reply of ten bytes; tests change of it what they are about. */
export const HOT_REPLY: HotReply = {
  status: 200,
  headers: {},
  part: null,
  body: new Uint8Array(10),
  borrowed: null,
  finish: null,
  bucket: 'b' as BucketName,
  surface: 'delivery',
  accessKeyId: null,
};
