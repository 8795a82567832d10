// What runs now, and the places visited last.

import { Folder, ListChecks } from 'lucide';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { recentPlaces } from '../../app/pinned.ts';
import { href } from '../../app/router.ts';
import { useEvery } from '../../app/visible.ts';
import { count, percent } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../../ui/icon.tsx';
import { LoadLine } from '../../ui/small.tsx';

/** How often running jobs are read while some run, milliseconds. */
const READ_EVERY_MS = 2000;
const JOBS_MAX = 3;
const PLACES_MAX = 5;

export function RunningJobs() {
  const texts = t().home;
  const jobs = useQuery('jobs running', (signal) =>
    client.request('GET /jobs', { query: { state: 'running', limit: JOBS_MAX }, signal }),
  );
  const running = jobs.data.value?.items ?? [];
  const runs = running.length > 0;
  useEvery(runs ? READ_EVERY_MS : null, jobs.reload, [jobs]);
  if (!runs) return null;
  return (
    <section>
      <h2 class="section-title">
        {texts.running}
        <a href={href('/jobs')}>{t().shell.jobs}</a>
      </h2>
      {running.map(({ id, kind, bucket, counts, total }) => {
        const part = counts.done / Math.max(1, total ?? counts.done * 2);
        const label = texts.jobKinds[kind as keyof typeof texts.jobKinds] ?? kind;
        return (
          <div key={id}>
            <div class="line">
              <Icon of={ListChecks} />
              <span class="cut">{`${label} · ${bucket}`}</span>
              <span class="dim">{total === null ? count(counts.done) : percent(part)}</span>
            </div>
            <LoadLine isThin label={label} now={part} />
          </div>
        );
      })}
    </section>
  );
}

export function RecentPlaces() {
  const places = recentPlaces.value.slice(0, PLACES_MAX);
  if (places.length === 0) return null;
  return (
    <section>
      <h2 class="section-title">{t().home.recent}</h2>
      {places.map(({ to, name }) => (
        <div class="line" key={to}>
          <Icon of={Folder} />
          <a class="cut" href={href(to)}>
            {name}
          </a>
        </div>
      ))}
    </section>
  );
}
