// A small object in one PUT. An attempt whose answer was lost may have written it: before the next
// one the object is looked at, so that a bucket with versions gets one of them.
import { QuaysideError } from '../errors.ts';
import type { Completed } from '../objects/backend.ts';
import {
  attributeHeaders,
  checksumHeader,
  conditionHeaders,
  fromHeader,
  unquoted,
} from '../objects/object-headers.ts';
import { retrying } from '../retry.ts';
import { algorithmOf, createDigest } from './digest.ts';
import type { Bytes } from './piece.ts';
import { type UploadContext, withLimit } from './upload-context.ts';

/** Headers that a response does not show as they were sent. */
const NOT_ECHOED: readonly string[] = ['x-amz-tagging', 'x-amz-storage-class'];

export async function putWhole(context: UploadContext, body: Bytes): Promise<Completed> {
  const { send, policy, target, attributes, condition, meter, pauser } = context;
  const algorithm = algorithmOf(context.checksum ?? 'sha256');
  const checksum: Record<string, string> =
    algorithm === null ? {} : { [checksumHeader(algorithm)]: await createDigest(algorithm)(body) };
  const said = attributeHeaders(attributes);
  const headers = { ...said, ...conditionHeaders(condition), ...checksum };
  let mayBeThere = false;

  async function attempt(signal: AbortSignal): Promise<Completed> {
    const limited = withLimit(signal, body.length);
    try {
      const onSent = (bytes: number) => meter.set(1, bytes);
      const call = { ...target, method: 'PUT', headers } as const;
      return facts(await send(call, { body, signal: limited, onSent }));
    } catch (error) {
      const status = error instanceof QuaysideError ? error.status : null;
      // The first attempt of a pair may have made the condition of the second one fail.
      if (status === 412 && mayBeThere) {
        const written = await findSame(signal);
        if (written !== null) return written;
      }
      mayBeThere ||= status === null || status >= 500;
      meter.set(1, 0);
      throw error;
    }
  }

  /** The current object, if it is exactly what is sent here. */
  async function findSame(signal: AbortSignal): Promise<Completed | null> {
    if (algorithm === null) return null;
    const call = { ...target, method: 'HEAD', wantsChecksum: true } as const;
    const response = await send(call, { signal }).catch((error: unknown) => {
      if (error instanceof QuaysideError && error.status === 404) return null;
      throw error;
    });
    if (response === null) return null;
    const expected = Object.entries({ ...said, ...checksum, 'content-length': `${body.length}` });
    const isSame = expected.every(
      ([name, value]) =>
        NOT_ECHOED.includes(name) ||
        fromHeader(response.headers.get(name) ?? '') === fromHeader(value),
    );
    return isSame ? facts(response) : null;
  }

  const completed = await pauser.run((signal) =>
    retrying(async () => (mayBeThere ? await findSame(signal) : null) ?? attempt(signal), {
      policy,
      signal,
    }),
  );
  meter.set(1, body.length);
  return completed;
}

const facts = ({ headers }: Response): Completed => ({
  etag: unquoted(headers.get('etag') ?? ''),
  versionId: headers.get('x-amz-version-id'),
});
