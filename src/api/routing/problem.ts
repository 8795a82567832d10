// Failures as the clients of the JSON API read them: problem details with a stable
// `code`, which is the ErrorCode, the same word that S3 clients get. Source: RFC
// 9457.
import { z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { StorageError } from '../../domain/errors.ts';
import { ERROR_STATUS, shownFailure } from '../../http/semantics/error-status.ts';
import { failureHeaders } from '../../http/semantics/failure-headers.ts';

export const PROBLEM_TYPE = 'application/problem+json';

export const problemSchema = z
  .object({
    type: z.string().openapi({ example: '/-/docs#NoSuchBucket' }),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z
      .string()
      .openapi({ description: 'Stable; what programs branch on.', example: 'NoSuchBucket' }),
    requestId: z.string(),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .openapi({
        description: 'Each field that cannot be used, as a JSON pointer, and why.',
      }),
  })
  .openapi('Problem');

export type FieldError = { readonly field: string; readonly message: string };

/** Wrong input, field by field. */
export class InvalidFields extends Error {
  override readonly name = 'InvalidFields';
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[]) {
    super('The request has fields that cannot be used.');
    this.errors = errors;
  }
}

/** Field errors shown at once; a body could have thousands. */
const ERRORS_MAX = 20;

/**
 * The issues that zod has, for the client. `part`: `json`, `query`, `param`,
 * `header`.
 */
export function invalidFields(part: string, error: z.ZodError): InvalidFields {
  return new InvalidFields(
    error.issues.slice(0, ERRORS_MAX).map(({ path, message }) => ({
      field: `${part === 'json' ? '' : `${part}:`}/${path.map(String).join('/')}`.slice(0, 200),
      message: message.slice(0, 500),
    })),
  );
}

/**
 * The failure as it is reported: a fault of ours shows nothing but the request id.
 */
function reportedError(error: unknown): StorageError {
  if (error instanceof InvalidFields)
    return new StorageError('InvalidInput', { detail: error.message });
  if (error instanceof HTTPException) return fromHono(error);
  return shownFailure(error);
}

/** Refusals of zod-openapi itself: JSON that is none, and another content type. */
function fromHono({ status, message }: HTTPException): StorageError {
  if (status === 415) return new StorageError('UnsupportedMediaType');
  return status < 500
    ? new StorageError('InvalidInput', { detail: message })
    : new StorageError('InternalError');
}

/** Whether the failure is a fault of ours, which belongs into the log. */
export function isOurFault(error: unknown): boolean {
  return reportedError(error).code === 'InternalError';
}

/** What is wrong with single fields; hosting settings name the one that is (read-hosting.ts). */
function fieldErrors(error: unknown): readonly FieldError[] {
  if (error instanceof InvalidFields) return error.errors;
  const setting = error instanceof StorageError ? error.fields.Setting : undefined;
  if (setting === undefined) return [];
  // `hosting.domains[0].host` is /hosting/domains/0/host.
  const field = `/${setting.replaceAll('].', '/').replace(/[.[]/g, '/').replaceAll(']', '')}`;
  return [{ field, message: reportedError(error).message }];
}

const ifAny = (errors: readonly FieldError[]) => (errors.length === 0 ? {} : { errors });

/** The response to a failure. Its caller cuts the body off for a HEAD. */
export function problemResponse(
  error: unknown,
  requestId: string,
): {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly code: string;
} {
  const reported = reportedError(error);
  const { code, message } = reported;
  const status = ERROR_STATUS[code];
  const problem = {
    type: `/-/docs#${code}`,
    title: code.replace(/(?<=[a-z])(?=[A-Z])/g, ' '),
    status,
    detail: message,
    code,
    requestId,
    ...ifAny(fieldErrors(error)),
  };
  const headers: Record<string, string> = {
    'content-type': PROBLEM_TYPE,
    ...failureHeaders(reported),
  };
  if (status === 401) headers['www-authenticate'] = 'Bearer realm="quayside"';
  return { status, headers, body: JSON.stringify(problem), code };
}
