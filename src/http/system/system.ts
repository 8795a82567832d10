// Pages of the service itself under `/-/`: for operators and load balancers, never for stored content.
import { StorageError } from '../../ports/errors.ts';
import type { HttpRequest } from '../request.ts';

/** Answers `/-/health`; anything else under `/-/` is NoSuchKey, which tells nothing about buckets. */
export function answerSystem(request: HttpRequest, path: string, requestId: string): Response {
  if (path !== '/health') throw new StorageError('NoSuchKey', { detail: 'There is no such page.' });
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new StorageError('MethodNotAllowed');
  const body = request.method === 'HEAD' ? null : '{"status":"ok"}\n';
  return new Response(body, {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-amz-request-id': requestId },
  });
}
