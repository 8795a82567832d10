// The server's clock: whether it is trusted, so that what goes by age goes on, and
// the operator's confirmation that it is right.
import { z } from '@hono/zod-openapi';
import { confirmTime } from '../../../core/clock/confirm-time.ts';
import { readTimeState } from '../../../core/clock/trust-time.ts';
import type { Core } from '../../../core/core.ts';
import { type Api, operatorCallOf } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { isoTime, isoTimeOrNull, timeSchema } from '../../schemas/time.ts';

const TAGS = ['Server'];

const clockSchema = z
  .object({
    now: timeSchema,
    isTrusted: z.boolean().openapi({
      description:
        'Whether bills, lifecycle rules and sweeping go on; ' +
        'false: they wait for the clock, or for PUT /clock.',
    }),
    jumpSeconds: z
      .number()
      .int()
      .openapi({ description: 'By how much it has jumped since, ahead or back.' }),
    lastTrustedAt: timeSchema.nullable(),
  })
  .openapi('Clock');

async function show(core: Core): Promise<z.infer<typeof clockSchema>> {
  const { nowMs, seen, jumpMs } = await readTimeState(core);
  return {
    now: isoTime(nowMs),
    isTrusted: jumpMs === 0,
    jumpSeconds: Math.round(jumpMs / 1000),
    lastTrustedAt: isoTimeOrNull(seen?.atMs ?? null),
  };
}

export function addClockRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/clock',
      operationId: 'getClock',
      summary: "Whether the server's clock is believed",
      tags: TAGS,
      access: 'billing:read',
      request: {},
      responses: {
        200: jsonResponse(
          clockSchema,
          'What the clock says, and what it said when it was believed last',
        ),
      },
    }),
    async (c) => {
      const call = operatorCallOf(c);
      return c.json(await show(call.core), 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'put',
      path: '/clock',
      operationId: 'confirmClock',
      summary:
        'Confirm that the clock is right after a jump, ' +
        'so that bills, lifecycle rules and sweeping go on',
      tags: TAGS,
      access: 'billing:write',
      request: {
        body: jsonBody(
          z.strictObject({
            now: timeSchema.openapi({
              description: 'The time as you read it elsewhere: within five minutes of the clock.',
            }),
          }),
        ),
      },
      responses: { 200: jsonResponse(clockSchema, 'The clock is believed') },
    }),
    async (c) => {
      const call = operatorCallOf(c);
      await confirmTime(call.core, Date.parse(c.req.valid('json').now));
      return c.json(await show(call.core), 200);
    },
  );
}
