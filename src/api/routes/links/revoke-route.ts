// The description of a route that revokes all links of a kind below a prefix.
import { z } from '@hono/zod-openapi';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { bucketParams } from '../../schemas/object.ts';

/** `path` has `{bucket}`. The request names a prefix, the response says how many there were. */
export const revokeRoute = <const Path extends string>(about: {
  readonly path: Path;
  readonly operationId: string;
  readonly summary: string;
}) =>
  apiRoute({
    ...about,
    method: 'post',
    tags: ['Links'],
    access: 'links:write',
    request: {
      params: bucketParams,
      body: jsonBody(
        z.strictObject({
          prefix: z.string().max(1024).openapi({ description: "'' is the whole bucket." }),
        }),
      ),
    },
    responses: {
      200: jsonResponse(z.object({ revoked: z.number().int() }), 'How many were revoked'),
    },
  });
