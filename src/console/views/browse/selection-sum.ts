// Sums of what is selected. Folders that are not counted yet make a sum unknown.
import type { SelectedRow } from './selection.ts';

export type Sum = {
  readonly objects: number;
  readonly bytes: number;
  /** False: a folder is not counted yet. */
  readonly isKnown: boolean;
};

export function sumOf(rows: readonly SelectedRow[]): Sum {
  let objects = 0;
  let bytes = 0;
  let isKnown = true;
  for (const row of rows) {
    if (row.bytes === null || row.objects === null) isKnown = false;
    objects += row.objects ?? 0;
    bytes += row.bytes ?? 0;
  }
  return { objects, bytes, isKnown };
}
