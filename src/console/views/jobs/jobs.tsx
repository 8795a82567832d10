// Jobs of all buckets: what runs, what happened, and whether it can be taken back.
import {
  ArchiveRestore,
  Copy,
  FolderInput,
  type IconNode,
  ListChecks,
  PencilLine,
  SlidersHorizontal,
  Trash2,
  Undo2,
} from 'lucide';
import { useEffect } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { query, setQuery } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { Title, TopBar } from '../../app/top-bar.tsx';
import { useEvery } from '../../app/visible.ts';
import { bytes, count, exactTime, time } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { NoMatch } from '../../ui/no-match.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Empty, LoadLine, Skeleton } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { undoJob } from '../change/run-job.ts';
import { JobFailures } from './job-failures.tsx';
import { type AccountJob, jobSentence } from './job-words.ts';

const PAGE = 100;
/** How often the list is read while something runs, milliseconds. */
const READ_EVERY_MS = 2000;

const ICONS: Readonly<Record<string, IconNode>> = {
  move: FolderInput,
  copy: Copy,
  rename: PencilLine,
  edit: SlidersHorizontal,
  delete: Trash2,
  'empty-trash': Trash2,
  empty: Trash2,
  restore: ArchiveRestore,
  undo: Undo2,
};

const STATES = ['all', 'running', 'failed'] as const;
type Shown = (typeof STATES)[number];

export default function Jobs() {
  const texts = t().jobs;
  const asked = query.value.get('state');
  const shown: Shown = STATES.find((state) => state === asked) ?? 'all';
  const jobs = useQuery(`jobs list ${shown}`, (signal) =>
    client.request('GET /jobs', {
      query: { limit: PAGE, ...(shown === 'all' ? {} : { state: shown }) },
      signal,
    }),
  );
  const items = jobs.data.value?.items ?? null;
  const running = items?.filter(({ state }) => state === 'running').length ?? 0;
  useEffect(() => {
    document.title = `${t().shell.jobs} · Quayside`;
  }, []);
  useEvery(running === 0 ? null : READ_EVERY_MS, jobs.reload, [jobs]);

  return (
    <>
      <TopBar>
        <Title>{t().shell.jobs}</Title>
      </TopBar>
      <div class="tool-bar">
        <Segments
          label={texts.which}
          value={shown}
          options={STATES.map((value) => ({ value, label: texts.states[value] }))}
          onChange={(value) => setQuery({ state: value === 'all' ? null : value })}
        />
        <span class="gap" />
        <span class="dim wide cut">{texts.undoHint}</span>
      </div>
      <div class="list">
        <Waiting of={jobs} />
        {items === null && jobs.error.value === null && <Skeletons />}
        {items?.length === 0 &&
          (shown === 'all' ? (
            <Empty icon={ListChecks} title={texts.none}>
              {texts.noneHint}
            </Empty>
          ) : (
            <NoMatch onClear={() => setQuery({ state: null })} />
          ))}
        {items !== null && items.length > 0 && <JobList items={items} />}
      </div>
      <footer class="status-bar">
        <span>{texts.running(running)}</span>
        {items !== null && (
          <>
            <span class="sep">·</span>
            <span>{texts.shown(count(items.length))}</span>
          </>
        )}
      </footer>
    </>
  );
}

function Skeletons() {
  return (
    <div class="grid jobs" aria-hidden="true">
      {[260, 340, 220].map((width) => (
        <div class="row" key={width}>
          <span />
          <Skeleton width={width} />
        </div>
      ))}
    </div>
  );
}

function JobList({ items }: { readonly items: readonly AccountJob[] }) {
  const texts = t().jobs;
  const undone = new Set(
    items.filter(isDoneUndo).map(({ bucket, undoes }) => `${bucket} ${undoes}`),
  );
  return (
    <div class="grid jobs" role="table" aria-label={t().shell.jobs}>
      <div class="row row-head" role="row">
        <span role="columnheader" aria-label={texts.kind} />
        <span role="columnheader">{texts.work}</span>
        <span role="columnheader">{texts.result}</span>
        <span role="columnheader">{texts.begun}</span>
        <span role="columnheader" aria-label={texts.act} />
      </div>
      {items.map((job) => (
        <JobRow
          key={`${job.bucket} ${job.id}`}
          job={job}
          isUndone={undone.has(`${job.bucket} ${job.id}`)}
        />
      ))}
    </div>
  );
}

/** Whether the job took another back, all of it. */
function isDoneUndo({ undoes, state, counts }: AccountJob): boolean {
  const left = counts.conflicts + counts.missing + counts.locked;
  return undoes !== null && state === 'done' && left === 0;
}

type JobRowProps = { readonly job: AccountJob; readonly isUndone: boolean };

function JobRow({ job, isUndone }: JobRowProps) {
  const sentence = jobSentence(job);
  const by = job.startedBy.memberId ?? job.startedBy.accessKeyId ?? '';
  return (
    <div class="row" role="row">
      <span role="cell" class="kind">
        <Icon of={ICONS[job.kind] ?? ListChecks} />
      </span>
      <span role="cell" class="job-work" title={sentence}>
        {sentence}
      </span>
      <span role="cell" class="job-result">
        <Result job={job} />
      </span>
      <span role="cell" class="two-lines job-by">
        <span class="cut" title={by}>
          {by}
        </span>
        <span class="faint" title={exactTime(job.startedAt)}>
          {time(job.startedAt, t().units)}
        </span>
      </span>
      <span role="cell" class="job-act">
        <Act job={job} isUndone={isUndone} />
      </span>
    </div>
  );
}

function Result({ job }: { readonly job: AccountJob }) {
  const texts = t().jobs;
  const { state, counts, total, failure } = job;
  const left = counts.conflicts + counts.missing + counts.locked;
  if (state === 'running') {
    const part = total === null || total === 0 ? 0 : counts.done / total;
    return (
      <span class="two-lines">
        <LoadLine isThin label={texts.result} now={part} />
        <span class="dim">
          {total === null ? count(counts.done) : texts.of(count(counts.done), count(total))}
        </span>
      </span>
    );
  }
  const done = state === 'cancelled' ? texts.cancelled(count(counts.done)) : bytes(counts.bytes);
  return (
    <span class="two-lines">
      <span class={state === 'failed' ? 'red' : 'dim'}>{failure ?? done}</span>
      {left > 0 && (
        <span class="warn">
          {texts.leftAsTheyWere(left)}{' '}
          <button
            type="button"
            class="link"
            onClick={() => openDialog((close) => <JobFailures job={job} onClose={close} />)}
          >
            {texts.show}
          </button>
        </span>
      )}
    </span>
  );
}

function Act({ job, isUndone }: { readonly job: AccountJob; readonly isUndone: boolean }) {
  const texts = t().jobs;
  const { bucket, id, state, canUndo } = job;
  async function cancel(): Promise<void> {
    try {
      await client.jobs.cancel(bucket, id);
    } catch (error) {
      showToast({ text: errorLine(error) });
    }
    invalidate('jobs');
  }
  const mayChange = may('objects:write');
  if (state === 'running') {
    if (!mayChange) return null;
    return <Button kind="secondary" label={t().shell.cancel} onClick={() => void cancel()} />;
  }
  if (isUndone) return <span class="faint">{texts.undone}</span>;
  if (!mayChange) return null;
  if (!canUndo) return <span class="faint">{texts.noUndo}</span>;
  return (
    <Button
      kind="secondary"
      icon={Undo2}
      label={t().shell.undo}
      onClick={() => void undoJob(bucket, id)}
    />
  );
}
