// What a job left as it was, and why.
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { href, objectPath } from '../../app/router.ts';
import { t } from '../../i18n/i18n.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import type { AccountJob } from './job-words.ts';

type FailuresProps = {
  readonly job: Pick<AccountJob, 'bucket' | 'id'>;
  readonly onClose: () => void;
};

export function JobFailures({ job, onClose }: FailuresProps) {
  const { bucket, id } = job;
  const texts = t().jobs;
  const failures = useQuery(`job-failures ${bucket} ${id}`, (signal) =>
    client.request('GET /buckets/{bucket}/jobs/{jobId}/failures', {
      path: { bucket, jobId: id },
      signal,
    }),
  );
  const items = failures.data.value?.items ?? [];
  return (
    <Dialog title={texts.leftTitle} onClose={onClose}>
      {failures.error.value !== null && (
        <Failure error={failures.error.value} onRetry={failures.reload} />
      )}
      <ul class="failures">
        {items.map(({ key, reason }) => (
          <li key={key}>
            <a href={href(objectPath(bucket, key))}>
              <bdi>{key}</bdi>
            </a>
            <span class="dim">{texts.reasons[reason]}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
