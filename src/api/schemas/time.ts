// Times as the API reads and writes them: ISO 8601 in UTC.
import { z } from '@hono/zod-openapi';
import { StorageError } from '../../domain/errors.ts';

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

/**
 * Milliseconds of the text when something expires; null: never. InvalidInput for
 * the past.
 */
export function futureMsOrNull(expiresAt: string | null, nowMs: number): number | null {
  const expiresAtMs = msOrNull(expiresAt);
  if (expiresAtMs !== null && expiresAtMs <= nowMs)
    throw new StorageError('InvalidInput', { detail: 'expiresAt must be in the future.' });
  return expiresAtMs;
}
