// The month: so far, what it comes to, the month before; then where the money goes.
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { moneyCapOf, type Overview } from '../../app/overview.ts';
import { href } from '../../app/router.ts';
import { money, monthName, percent } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { LoadLine, Skeleton } from '../../ui/small.tsx';

/** Lines of the bill that are shown. */
const LINES_MAX = 4;

export function MonthSection({ overview }: { readonly overview: Overview | null }) {
  const texts = t().home;
  const isReading = overview === null;
  const month = overview?.month ?? null;
  if (!isReading && month === null) return null;
  return (
    <section>
      <h2 class="section-title">
        {month === null ? <Skeleton width={96} /> : monthName(month.period)}
        <a href={href('/usage')}>{t().shell.usage}</a>
      </h2>
      <Figures overview={overview} />
      <MonthLine overview={overview} />
      <BillLines texts={texts} />
    </section>
  );
}

function Figures({ overview }: { readonly overview: Overview | null }) {
  const texts = t().home;
  const month = overview?.month ?? null;
  const invoices = useQuery('invoices last', (signal) =>
    client.request('GET /invoices', { query: { limit: 1 }, signal }),
  );
  const last = invoices.data.value?.items.find(({ isVoid }) => !isVoid);
  return (
    <div class="figures">
      <Figure label={texts.soFar} isMain>
        {month === null ? null : money(month.soFarMicro, month.currency)}
      </Figure>
      <Figure label={t().usage.headingFor}>
        {month === null ? null : money(month.atEndMicro, month.currency)}
      </Figure>
      {last !== undefined && (
        <Figure label={monthName(last.period)}>{money(last.totalMicro, last.currency)}</Figure>
      )}
    </div>
  );
}

type FigureProps = {
  readonly label: string;
  readonly isMain?: boolean;
  readonly children: string | null;
};

function Figure({ label, isMain = false, children }: FigureProps) {
  return (
    <div>
      <div class="faint">{label}</div>
      <div class={isMain ? 'figure' : 'figure dim'}>{children ?? <Skeleton width={84} />}</div>
    </div>
  );
}

function MonthLine({ overview }: { readonly overview: Overview | null }) {
  const texts = t().home;
  const month = overview?.month ?? null;
  const cap = moneyCapOf(overview);
  if (month === null) return <LoadLine label={texts.soFar} now={0} />;
  const whole = Number(cap?.limit ?? Math.max(Number(month.atEndMicro), 1));
  const alert = cap?.alertPercents?.find((one) => one < 100);
  return (
    <>
      <LoadLine
        label={texts.soFar}
        now={Number(month.soFarMicro) / whole}
        forecast={Number(month.atEndMicro) / whole}
        alert={alert === undefined ? undefined : alert / 100}
        hasLimit={cap !== null}
      />
      <div class="spread faint">
        <span>{alert === undefined ? '' : texts.noticeAt(percent(alert / 100))}</span>
        <span>
          {cap === null ? t().usage.noAccountCap : texts.cap(money(cap.limit, month.currency))}
        </span>
      </div>
    </>
  );
}

function BillLines({ texts }: { readonly texts: ReturnType<typeof t>['home'] }) {
  const forecast = useQuery('forecast', (signal) => client.request('GET /forecast', { signal }));
  const invoice = forecast.data.value?.soFar;
  const lines = (invoice?.lines ?? [])
    .filter(({ amountMicro }) => Number(amountMicro) > 0)
    .toSorted((a, b) => Number(b.amountMicro) - Number(a.amountMicro))
    .slice(0, LINES_MAX);
  if (invoice === undefined || lines.length === 0) return null;
  return (
    <dl class="bill-lines" aria-label={texts.goesTo}>
      {lines.map(({ label, amountMicro }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{money(amountMicro, invoice.currency)}</dd>
        </div>
      ))}
    </dl>
  );
}
