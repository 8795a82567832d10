// Answers a request by the surface that it is for: with an id, counted and logged,
// and with a rendering of what went wrong. Called by app.ts, for Hono and for the
// platforms' fast paths. It knows no surface.
import { countError } from '../core/metering/count-error.ts';
import type { Ports } from '../ports/index.ts';
import { renderDeadLink } from './dead-link/dead-link.ts';
import { FailureWithHeaders } from './failure-with-headers.ts';
import { renderLinkFailure } from './links/link-failure.ts';
import type { Observer } from './observe/observer.ts';
import type { HttpRequest } from './request.ts';
import { renderS3Error } from './s3/errors.ts';
import { faultFields, isFault } from './semantics/error-status.ts';

/** Gives a request to its surface. Throws or rejects with what went wrong. */
export type Handle = (request: HttpRequest, requestId: string) => Response | Promise<Response>;

/** Answers; rejects only by a fault of its own. */
export type AnswerRequest = (request: HttpRequest) => Response | Promise<Response>;

export function createAnswerRequest(
  { ids, log, meter }: Pick<Ports, 'ids' | 'log' | 'meter'>,
  observer: Pick<Observer, 'began' | 'answered'>,
  handle: Handle,
): AnswerRequest {
  function renderError(error: unknown, request: HttpRequest, requestId: string): Response {
    const failure = error instanceof FailureWithHeaders ? error.failure : error;
    if (isFault(failure)) {
      const fields = faultFields(failure, request);
      log.error('request-failed', { requestId, ...fields, cause: failure });
    }
    return (
      renderDeadLink(error, request, requestId) ??
      renderLinkFailure(error, request, requestId) ??
      renderS3Error(error, { ...request, resource: request.rawPath, requestId })
    );
  }

  return (request) => {
    const requestId = ids.requestId();
    const answered = (response: Response): Response => {
      const { status } = response;
      observer.answered(request, requestId, status);
      // Its headers are not looked at: on Node that would make others of them.
      if (status >= 400) countError(meter, request.notes, status);
      return response;
    };
    const failed = (error: unknown): Response => answered(renderError(error, request, requestId));

    observer.began();
    try {
      const response = handle(request, requestId);
      return response instanceof Promise ? response.then(answered, failed) : answered(response);
    } catch (error) {
      return failed(error);
    }
  };
}
