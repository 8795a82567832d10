// What a deletion would remove: counts and money of each selected folder by the
// server's preview, of objects by what the list knows.
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
  readonly savedMicro: number;
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
      ...folders.slice(0, FOLDERS_MAX).map((folder) =>
        client.request('GET /buckets/{bucket}/deletion-preview', {
          path: { bucket },
          query: { prefix: folder },
          signal,
        }),
      ),
    ]);
    const counted = previews.map(({ preview }) => preview);
    return {
      goesToTrash: facts.versioning === 'enabled',
      savedMicro: total(counted, (one) => Number(one.savedPerMonthMicro)),
      currency: counted.find((one) => one !== null)?.currency ?? 'USD',
      objects: objects.length + total(counted, (one) => one.objects),
      bytes:
        objects.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0) +
        total(counted, (one) => Number(one.bytes)),
      isComplete: folders.length <= FOLDERS_MAX && counted.every((one) => one !== null),
      trashDays: trash.days,
    };
  });
};

type Counted = NonNullable<ServerPreview>;

const total = (previews: readonly ServerPreview[], value: (one: Counted) => number): number =>
  previews.reduce((sum, one) => sum + (one === null ? 0 : value(one)), 0);
