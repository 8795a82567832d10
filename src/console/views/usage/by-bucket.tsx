// The month by bucket: what each costs, as a part of the bill.
import type { Invoice } from 'quayside/client';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { href } from '../../app/router.ts';
import { exactMoney, money } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Skeleton } from '../../ui/small.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { shareOut, totalOf } from './shares.ts';

/** Buckets that are named; the others are one row. */
const SHOWN_MAX = 8;

type ByBucketProps = { readonly period: string; readonly invoice: Invoice | null };

export function ByBucket({ period, invoice }: ByBucketProps) {
  const texts = t().usage;
  const end = invoice?.periodEnd;
  const isOpen = invoice === null || Date.parse(invoice.periodEnd) > Date.now();
  const usage = useQuery(invoice === null ? null : `usage buckets ${period}`, (signal) =>
    client.request('GET /usage', {
      query: {
        from: `${period}-01T00:00:00Z`,
        ...(isOpen ? {} : { to: end }),
        by: 'total',
        groupBy: 'bucket',
      },
      signal,
    }),
  );
  const rows = usage.data.value?.items ?? null;
  return (
    <section aria-label={texts.byBucket}>
      <h2 class="section-title">{texts.byBucket}</h2>
      <Waiting of={usage} />
      {(rows === null || invoice === null) && usage.error.value === null && (
        <Skeleton width={200} />
      )}
      {rows !== null && invoice !== null && (
        <Shares rows={rowsOf(invoice, rows)} invoice={invoice} />
      )}
    </section>
  );
}

type Share = { readonly bucket: string; readonly micro: number };

function rowsOf(invoice: Invoice, rows: Parameters<typeof shareOut>[1]): readonly Share[] {
  const shares = [...shareOut(invoice, rows, ({ bucket }) => bucket ?? '')].map(
    ([bucket, amounts]) => ({ bucket, micro: totalOf(amounts) }),
  );
  // Buckets that used something which costs nothing stand there too.
  const known = new Set(shares.map(({ bucket }) => bucket));
  const free = [...new Set(rows.map(({ bucket }) => bucket ?? ''))]
    .filter((bucket) => bucket !== '' && !known.has(bucket))
    .map((bucket) => ({ bucket, micro: 0 }));
  return [...shares, ...free].sort((a, b) => b.micro - a.micro);
}

type SharesProps = { readonly rows: readonly Share[]; readonly invoice: Invoice };

function Shares({ rows, invoice }: SharesProps) {
  const texts = t().usage;
  if (rows.length === 0) return <p class="faint">{texts.nothingUsed}</p>;
  const most = Math.max(1, ...rows.map(({ micro }) => micro));
  const named = rows.filter(({ bucket }) => bucket !== '').slice(0, SHOWN_MAX);
  const others = rows.filter((row) => !named.includes(row));
  const rest = others.reduce((sum, { micro }) => sum + micro, 0);
  return (
    <ul class="by-bucket">
      {named.map(({ bucket, micro }) => (
        <li key={bucket}>
          <span class="spread">
            <a class="cut" href={href(`/b/${encodeURIComponent(bucket)}`)}>
              <bdi>{bucket}</bdi>
            </a>
            <span title={exactMoney(micro, invoice.currency)}>
              {money(micro, invoice.currency)}
            </span>
          </span>
          {micro > 0 && (
            <i style={{ width: `${((Math.max(0, micro) / most) * 100).toFixed(1)}%` }} />
          )}
        </li>
      ))}
      {others.length > 0 && (
        <li>
          <span class="spread">
            <span>{texts.others}</span>
            <span>{money(rest, invoice.currency)}</span>
          </span>
        </li>
      )}
    </ul>
  );
}
