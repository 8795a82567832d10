// What needs me: caps that stand high, keys that end, jobs that failed.
import { CircleAlert, Gauge, type IconNode, KeyRound } from 'lucide';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import type { Overview } from '../../app/overview.ts';
import { href } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { duration, percent } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../../ui/icon.tsx';

/** Keys are mentioned so long before their end, milliseconds. */
const ENDING_SOON_MS = 14 * 86_400_000;
const KEYS_MAX = 100;

type Need = {
  readonly id: string;
  readonly icon: IconNode;
  readonly text: string;
  readonly to: string;
  readonly act: string;
};

export function NeedsYou({ overview }: { readonly overview: Overview | null }) {
  const texts = t().home;
  const needs = [...useCaps(overview), ...useKeys(), ...useFailedJobs()];
  return (
    <section>
      <h2 class="section-title">{texts.needsYou}</h2>
      {needs.length === 0 && <p class="faint">{texts.nothingNeeds}</p>}
      {needs.map(({ id, icon, text, to, act }) => (
        <div class="line" key={id}>
          <Icon of={icon} />
          <span class="cut" title={text}>
            {text}
          </span>
          <a href={href(to)}>{act}</a>
        </div>
      ))}
    </section>
  );
}

function useCaps(overview: Overview | null): Need[] {
  const texts = t().home;
  return (overview?.caps ?? [])
    .filter((cap) => cap.percent >= (cap.alertPercents?.[0] ?? 100))
    .map((cap) => ({
      id: `cap ${cap.id}`,
      icon: Gauge,
      text: texts.capAt(cap.id, percent(cap.percent / 100)),
      to: '/usage',
      act: texts.look,
    }));
}

function useKeys(): Need[] {
  const texts = t().home;
  const keys = useQuery(may('keys:read') ? 'keys home' : null, (signal) =>
    client.request('GET /access-keys', { query: { limit: KEYS_MAX }, signal }),
  );
  const nowMs = Date.now();
  return (keys.data.value?.items ?? []).flatMap(({ id, name, expiresAt, isEnabled }) => {
    const leftMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - nowMs;
    if (!isEnabled || leftMs < 0 || leftMs > ENDING_SOON_MS) return [];
    const text = texts.keyEnds(name || id, duration(leftMs / 1000));
    return [{ id: `key ${id}`, icon: KeyRound, text, to: `/keys?key=${id}`, act: texts.rotate }];
  });
}

function useFailedJobs(): Need[] {
  const texts = t().home;
  const jobs = useQuery('jobs failed', (signal) =>
    client.request('GET /jobs', { query: { state: 'failed', limit: 3 }, signal }),
  );
  return (jobs.data.value?.items ?? []).map(({ id, bucket }) => ({
    id: `job ${id}`,
    icon: CircleAlert,
    text: texts.jobFailed(bucket),
    to: '/jobs?state=failed',
    act: texts.look,
  }));
}
