// Deletes a bucket for good: says all that dies with it, wants its name typed, and
// empties it first where something is left.
import { Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { PlainFailure } from '../../api/describe-error.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { navigate } from '../../app/router.ts';
import { count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { LoadLine, PlainWords, Skeleton } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { openedPrefixes } from '../access/public-prefixes.ts';
import { useAct } from '../change/use-act.ts';
import { useListed } from './bucket-list.ts';
import { ConfirmName, Numbers } from './empty-bucket.tsx';

/** First wait between two looks at the job that empties it, milliseconds; it doubles. */
const LOOK_FIRST_MS = 150;
const LOOK_MAX_MS = 2000;

type DeleteProps = { readonly bucket: string; readonly onClose: () => void };
type Progress = { readonly done: number; readonly total: number | null };

export default function DeleteBucket({ bucket, onClose }: DeleteProps) {
  const texts = t().buckets.danger;
  const [typed, setTyped] = useState('');
  const [progress, setProgress] = useState<Progress | null>(null);
  const listed = useListed(bucket);
  const deaths = useDeaths(bucket);
  const act = useAct(onClose);
  const totals = listed.data.value?.totals ?? null;
  const error = listed.error.value ?? deaths.error.value;
  const isConfirmed = typed === bucket;
  const isReading = totals === null || deaths.data.value === null;

  function remove(): void {
    if (!isConfirmed || totals === null) return;
    const isEmpty = totals.current.objects + totals.noncurrent.objects === 0;
    act.run(async () => {
      if (!isEmpty) await emptyFirst(bucket, setProgress);
      await client.buckets.delete(bucket);
      for (const key of ['buckets', 'overview', `bucket ${bucket}`]) invalidate(key);
      navigate('/buckets');
      showToast({ text: texts.deleted(bucket) });
    });
  }

  return (
    <ActDialog
      title={texts.deleteTitle(bucket)}
      isDirty={typed !== '' && !act.isBusy}
      onClose={onClose}
      onSubmit={remove}
      kind="danger"
      icon={Trash2}
      act={act}
      off={isReading ? t().change.counting : isConfirmed ? null : texts.typeFirst}
      label={t().object.deleteForGood}
    >
      {isReading && error !== null && <Failure error={error} onRetry={listed.reload} />}
      {isReading && error === null && <Skeleton width={280} />}
      {totals !== null && deaths.data.value !== null && (
        <>
          <PlainWords tone="lose">{texts.deleteEffect(bucket)}</PlainWords>
          <Numbers totals={totals} isWithVersions />
          <Deaths {...deaths.data.value} />
          <ConfirmName bucket={bucket} typed={typed} onTyped={setTyped} />
        </>
      )}
      {progress !== null && (
        <>
          <LoadLine
            label={texts.emptying}
            now={progress.total ? progress.done / progress.total : 0}
          />
          <span class="dim">{texts.emptied(count(progress.done))}</span>
        </>
      )}
    </ActDialog>
  );
}

type DeathsProps = {
  readonly hosts: readonly string[];
  readonly openPrefixes: readonly string[];
  readonly locked: boolean;
};

/** What else ends with the bucket: hosts that show it, places that are public. */
const useDeaths = (bucket: string) =>
  useQuery<DeathsProps>(`bucket ${bucket} deaths`, async (signal) => {
    const [facts, domains] = await Promise.all([
      client.request('GET /buckets/{bucket}', { path: { bucket }, signal }),
      client.request('GET /buckets/{bucket}/domains', { path: { bucket }, signal }),
    ]);
    const { websiteHost, items } = domains;
    const isSite = facts.hosting !== null || facts.website !== null;
    return {
      hosts: [...items.map(({ host }) => host), ...(isSite && websiteHost ? [websiteHost] : [])],
      openPrefixes: openedPrefixes(facts).map(({ prefix }) => `${bucket}/${prefix}`),
      locked: facts.objectLock !== null,
    };
  });

function Deaths({ hosts, openPrefixes, locked }: DeathsProps) {
  const texts = t().buckets.danger;
  return (
    <ul class="deaths">
      {hosts.length > 0 && <li>{texts.hostsDie(hosts.join(', '))}</li>}
      {openPrefixes.length > 0 && <li>{texts.publicDies(openPrefixes.join(', '))}</li>}
      {locked && <li class="warn">{texts.lockedMayStay}</li>}
    </ul>
  );
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs the job that removes every version, to its end. Rejects where something stays. */
async function emptyFirst(bucket: string, onProgress: (progress: Progress) => void): Promise<void> {
  const body = { kind: 'empty', allVersions: true, confirm: bucket } as const;
  let job = await client.jobs.start(bucket, { body });
  for (let waitMs = LOOK_FIRST_MS; job.state === 'running'; waitMs *= 2) {
    onProgress({ done: job.counts.done, total: job.total });
    await wait(Math.min(LOOK_MAX_MS, waitMs));
    job = await client.jobs.get(bucket, job.id);
  }
  invalidate('jobs');
  const { locked, missing, conflicts } = job.counts;
  const left = locked + missing + conflicts;
  if (job.state !== 'done' || left > 0) {
    throw new PlainFailure(t().buckets.danger.notEmptied(count(left)));
  }
}
