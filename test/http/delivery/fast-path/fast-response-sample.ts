// A fast-path response for tests, which change of it what they are about.
import type { BucketName } from '../../../../src/domain/nouns.ts';
import type {
  FastResponse,
  WholeResponse,
} from '../../../../src/http/delivery/fast-path/fast-response.ts';

/** A response of ten bytes that stay. */
export const FAST_RESPONSE: Extract<WholeResponse, { kind: 'bytes' }> = {
  status: 200,
  headers: {},
  bucket: 'b' as BucketName,
  surface: 'delivery',
  accessKeyId: null,
  kind: 'bytes',
  body: new Uint8Array(10),
  range: null,
};

/** The body of a response whose bytes stay; empty where there is none. */
export function bytesThatStay(response: FastResponse | null): Uint8Array {
  if (response === null || response.kind === 'none') return new Uint8Array();
  if (response.kind === 'bytes' || response.kind === 'range') return response.body;
  throw new Error(`The body is ${response.kind}.`);
}
