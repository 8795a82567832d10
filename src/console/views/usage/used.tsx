// What was used in a month, without what it costs: storage, traffic, requests.
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { bytes, count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Failure } from '../../ui/failure.tsx';
import { Skeleton } from '../../ui/small.tsx';

const HOUR_MS = 3_600_000;
/** Kinds of meters: docs/billing.md has them all. */
const TRAFFIC = ['egress'];
const REQUESTS = ['class-a', 'class-b'];

/** Storage is metered by the hour: what lay there in the mean since the month began. */
const hoursSince = (period: string): number =>
  Math.max(1, (Date.now() - Date.parse(`${period}-01T00:00:00Z`)) / HOUR_MS);

export function Used({ period }: { readonly period: string }) {
  const texts = t().usage;
  const usage = useQuery(`usage total ${period}`, (signal) =>
    client.request('GET /usage', {
      query: { from: `${period}-01T00:00:00Z`, by: 'total' },
      signal,
    }),
  );
  const items = usage.data.value?.items ?? null;
  const sumOf = (kinds: readonly string[]) =>
    (items ?? [])
      .filter(({ meter }) => kinds.includes(meter.split('/')[0] ?? ''))
      .reduce((sum, { quantity }) => sum + Number(quantity), 0);
  if (items === null && usage.error.value !== null) {
    return <Failure error={usage.error.value} onRetry={usage.reload} />;
  }
  const requests = sumOf(REQUESTS);
  const rows = [
    [texts.groups.storage, texts.inTheMean(bytes(sumOf(['storage']) / hoursSince(period)))],
    [texts.groups.traffic, bytes(sumOf(TRAFFIC))],
    [texts.groups.requests, texts.requests(requests, count(requests))],
  ] as const;
  return (
    <section aria-label={texts.used}>
      <h2 class="section-title">{texts.used}</h2>
      <table class="bill">
        <tbody>
          {rows.map(([label, amount]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{items === null ? <Skeleton width={80} /> : amount}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
