// Idempotency-Key on POST: what was done once is not done again, its response is
// sent again. The idempotency record of a success is kept for a day, encrypted,
// under the credential that sent it. A refusal has none, for it has done nothing.
// app.ts calls this around the route. Source:
// draft-ietf-httpapi-idempotency-key-header-07
import type { Core } from '../../core/core.ts';
import { sha256Hex } from '../../crypto/hash.ts';
import type { IdempotencyRecord } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { SignedInCall } from '../routing/api-call.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;
/**
 * Longest response that is recorded, characters: a longer one can't be repeated
 * under its key.
 */
const RECORDED_MAX_LENGTH = 256 * 1024;

/**
 * What a repeated request must have in common with the first: its address and its
 * body.
 */
export type Repeatable = { readonly target: string; readonly body: Uint8Array | null };

/** Whose key it is, and the digest of the key. */
type RecordId = { readonly caller: string; readonly key: string };

/**
 * Runs the request unless its key says that it ran already. IdempotencyInProgress,
 * IdempotencyKeyReused, InvalidInput (a key of strange characters). Cost of a key:
 * two calls of the directory.
 */
export async function runOnce(
  call: SignedInCall,
  key: string,
  repeatable: Repeatable,
  run: () => Promise<Response>,
): Promise<Response> {
  if (!KEY.test(key)) {
    throw new StorageError('InvalidInput', {
      detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
    });
  }

  const { core, caller, requestId, secrets } = call;
  const id: RecordId = { caller: `${caller.by.kind} ${caller.by.id}`, key: sha256Hex(key) };
  const boundTo = `${id.caller} ${id.key}`;

  const recorded = await beginRecord(core, id, repeatable, requestId);
  if (recorded !== null) {
    const body = secrets.decrypt(recorded.encryptedBody, boundTo);
    if (body !== null) return replayed(recorded, body);
  }

  try {
    const response = await run();
    const text = await response.clone().text();
    const isRecorded = response.ok && text.length <= RECORDED_MAX_LENGTH;
    const record = {
      status: response.status,
      headers: JSON.stringify(Object.fromEntries(response.headers)),
      encryptedBody: isRecorded ? secrets.encrypt(text, boundTo) : '',
    };
    await endRecord(core, id, isRecorded ? record : null, requestId);
    return response;
  } catch (error) {
    await endRecord(core, id, null, requestId);
    throw error;
  }
}

/** Begins the record of a first request; of a repeated one gives the response. */
async function beginRecord(
  { ports: { directory, clock } }: Core,
  id: RecordId,
  { target, body }: Repeatable,
  attemptId: string,
): Promise<IdempotencyRecord | null> {
  const fingerprint = sha256Hex(`${target}\n${sha256Hex(body ?? '')}`);
  const state = await directory.call('beginIdempotent', {
    ...id,
    fingerprint,
    attemptId,
    nowMs: clock.nowMs(),
  });

  if (state.kind === 'busy')
    throw new StorageError('IdempotencyInProgress', { fields: { RetryAfterSeconds: '1' } });
  if (state.kind === 'other') throw new StorageError('IdempotencyKeyReused');
  return state.kind === 'answered' ? state.record : null;
}

/**
 * Ends the record with the response, or with null, so that the key may be used
 * again.
 */
async function endRecord(
  { ports: { directory, log } }: Core,
  id: RecordId,
  response: IdempotencyRecord | null,
  requestId: string,
): Promise<void> {
  try {
    await directory.call('endIdempotent', { ...id, record: response });
  } catch (cause) {
    log.error('idempotency-not-kept', { requestId, cause });
  }
}

function replayed({ status, headers }: IdempotencyRecord, body: string): Response {
  const replayedHeaders = new Headers(JSON.parse(headers) as Record<string, string>);
  replayedHeaders.set('idempotency-replayed', 'true');
  return new Response(body === '' ? null : body, { status, headers: replayedHeaders });
}
