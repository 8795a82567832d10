// What a deletion would remove: counts and money of each selected folder by the
// server's preview, of objects by what the list knows and the average price around them.
import type { Answer } from 'quayside/client';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import type { Selection } from '../browse/selection.ts';

type ServerPreview = Answer<'GET /buckets/{bucket}/deletion-preview'>['preview'];

export type Preview = {
  readonly objects: number;
  readonly bytes: number;
  /** Whether it can be undone: the bucket keeps versions. */
  readonly goesToTrash: boolean;
  /** Micro-units of the currency; null: objects are selected whose folder is being counted. */
  readonly savedMicro: number | null;
  readonly currency: string;
  /** False: folders were too many to be counted all. */
  readonly isComplete: boolean;
  /** How long the trash keeps it, days; null: as the rules of the bucket say. */
  readonly trashDays: number | null;
};

/** Folders that are counted for one preview. */
const FOLDERS_MAX = 20;

export const usePreview = ({ bucket, prefix, rows, isAll }: Selection) => {
  const folders = isAll ? [prefix] : rows.filter(({ isFolder }) => isFolder).map(({ key }) => key);
  const objects = isAll ? [] : rows.filter(({ isFolder }) => !isFolder);
  const key = `preview ${bucket} ${folders.join('\n')} ${objects.map(({ key }) => key).join('\n')}`;
  return useQuery<Preview>(key, async (signal) => {
    const [trash, facts, ...previews] = await Promise.all([
      client.request('GET /buckets/{bucket}/trash/settings', { path: { bucket }, signal }),
      client.request('GET /buckets/{bucket}', { path: { bucket }, signal }),
      // Last, the folder that objects stand in: what its bytes cost on average.
      ...[...folders.slice(0, FOLDERS_MAX), ...(objects.length > 0 ? [prefix] : [])].map((folder) =>
        client.request('GET /buckets/{bucket}/deletion-preview', {
          path: { bucket },
          query: { prefix: folder },
          signal,
        }),
      ),
    ]);
    const counted = previews.map(({ preview }) => preview);
    const around = objects.length > 0 ? counted.pop() : undefined;
    const ownBytes = objects.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
    const bytes = ownBytes + total(counted, (one) => Number(one.bytes));
    const perByte = around ? Number(around.savedPerMonthMicro) / (Number(around.bytes) || 1) : 0;
    const saved = ownBytes * perByte + total(counted, (one) => Number(one.savedPerMonthMicro));
    return {
      goesToTrash: facts.versioning === 'enabled',
      // What takes space is never said to cost nothing.
      savedMicro: around === null ? null : bytes && Math.max(1, Math.round(saved)),
      currency: [around, ...counted].find((one) => one != null)?.currency ?? 'USD',
      objects: objects.length + total(counted, (one) => one.objects),
      bytes,
      isComplete: folders.length <= FOLDERS_MAX && counted.every((one) => one !== null),
      trashDays: trash.days,
    };
  });
};

type Counted = NonNullable<ServerPreview>;

const total = (previews: readonly ServerPreview[], value: (one: Counted) => number): number =>
  previews.reduce((sum, one) => sum + (one === null ? 0 : value(one)), 0);
