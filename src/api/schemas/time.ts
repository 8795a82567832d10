// Times as the API reads and writes them: ISO 8601 in UTC.
import { z } from '@hono/zod-openapi';

export const timeSchema = z.iso
  .datetime({ error: 'Must be a time in UTC, like 2026-11-21T07:35:00Z.' })
  .openapi({ example: '2026-11-21T07:35:00.000Z' });

/** The text of a time. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** The text of a time that may be never. */
export function isoTimeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : isoTime(timeMs);
}

/** Milliseconds of a text that `timeSchema` took; null: never. */
export function msOrNull(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}
