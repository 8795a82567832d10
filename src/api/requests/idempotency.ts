// Idempotency-Key on POST: what was done once is answered again, not done again. The answer of a
// success is kept for a day, encrypted, under the credential that asked; a refusal is not kept, for
// it has done nothing. Source: draft-ietf-httpapi-idempotency-key-header-07
import type { ApiCaller } from '../../core/accounts/permissions.ts';
import { sha256Hex } from '../../crypto/hash.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ApiCall } from '../routing/api-call.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;
/** Longer answers are not kept, characters: the request can then not be repeated under its key. */
const ANSWER_MAX_LENGTH = 256 * 1024;

/** What stands for the request: its address and its body. */
export type Repeatable = { readonly target: string; readonly body: Uint8Array | null };

/**
 * Runs the request unless its key says that it ran already. IdempotencyInProgress,
 * IdempotencyKeyReused, InvalidInput (a key of strange characters). Cost of a key: two calls of the
 * directory.
 */
export async function runOnce(
  call: ApiCall & { readonly caller: ApiCaller },
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
  const { directory, clock, log } = core.ports;
  const request = { caller: `${caller.by.kind} ${caller.by.id}`, key: sha256Hex(key) };
  const bound = `${request.caller} ${request.key}`;
  const fingerprint = sha256Hex(`${repeatable.target}\n${sha256Hex(repeatable.body ?? '')}`);
  const times = { attemptId: requestId, nowMs: clock.nowMs() };
  const state = await directory.call('beginIdempotent', { ...request, fingerprint, ...times });
  if (state.kind === 'busy')
    throw new StorageError('IdempotencyInProgress', { fields: { RetryAfterSeconds: '1' } });
  if (state.kind === 'other') throw new StorageError('IdempotencyKeyReused');
  if (state.kind === 'answered') {
    const body = secrets.open(state.answer.sealed, bound);
    if (body !== null) return keptResponse(state.answer, body);
  }
  const end = (answer: { status: number; headers: string; sealed: string } | null) =>
    directory.call('endIdempotent', { ...request, answer }).catch((cause: unknown) => {
      log.error('idempotency-not-kept', { requestId, cause });
    });
  try {
    const response = await run();
    const text = await response.clone().text();
    const isKept = response.ok && text.length <= ANSWER_MAX_LENGTH;
    const headers = JSON.stringify(Object.fromEntries(response.headers));
    await end(
      isKept ? { status: response.status, headers, sealed: secrets.seal(text, bound) } : null,
    );
    return response;
  } catch (error) {
    await end(null);
    throw error;
  }
}

function keptResponse(
  { status, headers }: { status: number; headers: string },
  body: string,
): Response {
  const given = new Headers(JSON.parse(headers) as Record<string, string>);
  given.set('idempotency-replayed', 'true');
  return new Response(body === '' ? null : body, { status, headers: given });
}
