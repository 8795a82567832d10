// The month by day, as columns that ← and → walk, and as a table with the same numbers.
import { useId } from 'preact/hooks';
import type { Invoice } from 'quayside/client';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { useOverview } from '../../app/overview.ts';
import { query, setQuery } from '../../app/router.ts';
import { date, money, smallMoney } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Failure } from '../../ui/failure.tsx';
import { type Amounts, GROUPS, shareOut, totalOf } from './shares.ts';

const NOTHING: Amounts = { storage: 0, traffic: 0, requests: 0, other: 0 };
const WIDTH = 664;
const HEIGHT = 128;
/** Room for the labels of the axis, at the left and below. */
const LEFT = 44;
const BELOW = 20;
const ABOVE = 8;
/** Part of a day's width that stays free. */
const GAP = 0.22;
const LABEL_EVERY = 5;
/** An axis that ends below has four digits after the point. */
const SMALL_MICRO = 20_000;

type Day = { readonly number: number; readonly amounts: Amounts; readonly isForecast: boolean };

type ByDayProps = {
  readonly period: string;
  readonly invoice: Invoice | null;
  readonly isRunning: boolean;
};

const daysOf = (period: string): number => {
  const [year = 0, month = 0] = period.split('-').map(Number);
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
};

export function ByDay({ period, invoice, isRunning }: ByDayProps) {
  const texts = t().usage;
  const month = useOverview().data.value?.month ?? null;
  const usage = useQuery(`usage days ${period}`, (signal) =>
    client.request('GET /usage', {
      query: {
        from: `${period}-01T00:00:00Z`,
        ...(isRunning ? {} : { to: invoice?.periodEnd }),
        by: 'day',
      },
      signal,
    }),
  );
  const rows = (usage.data.value?.items ?? []).filter(({ time }) => time?.startsWith(period));
  const shares =
    invoice === null ? new Map() : shareOut(invoice, rows, ({ time }) => (time ?? '').slice(8, 10));
  const today = isRunning ? new Date().getUTCDate() : daysOf(period);
  const leftMicro = Number(month?.atEndMicro ?? 0) - Number(invoice?.totalMicro ?? 0);
  const count = daysOf(period);
  const perDay = isRunning && count > today ? Math.max(0, leftMicro) / (count - today) : 0;
  const days = Array.from({ length: count }, (_, at): Day => {
    const number = at + 1;
    const isForecast = number > today;
    const amounts = isForecast
      ? { ...NOTHING, other: perDay }
      : (shares.get(String(number).padStart(2, '0')) ?? NOTHING);
    return { number, amounts, isForecast };
  });
  const currency = invoice?.currency ?? 'USD';
  return (
    <section aria-label={texts.byDay}>
      <h2 class="section-title">
        {texts.byDay}
        <Legend isRunning={isRunning} />
      </h2>
      {usage.data.value === null && usage.error.value !== null ? (
        <Failure error={usage.error.value} onRetry={usage.reload} />
      ) : (
        <>
          <Chart days={days} period={period} currency={currency} />
          <DayTable days={days} period={period} currency={currency} />
        </>
      )}
    </section>
  );
}

function Legend({ isRunning }: { readonly isRunning: boolean }) {
  const texts = t().usage;
  return (
    <span class="chart-legend">
      {(['storage', 'traffic', 'requests'] as const).map((group) => (
        <span key={group} class={`series-${group}`}>
          {texts.groups[group]}
        </span>
      ))}
      {isRunning && <span class="series-forecast">{texts.forecast}</span>}
    </span>
  );
}

type ChartProps = {
  readonly days: readonly Day[];
  readonly period: string;
  readonly currency: string;
};

/** The next round number at or above: 1, 2, 5 or ten times that. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

const dayName = (period: string, { number }: Day): string =>
  date(`${period}-${String(number).padStart(2, '0')}T12:00:00Z`);

function dayText(period: string, day: Day, currency: string): string {
  const texts = t().usage;
  const total = money(totalOf(day.amounts), currency);
  if (day.isForecast) return texts.forecastDay(dayName(period, day), total);
  const parts = GROUPS.filter((group) => Math.abs(day.amounts[group]) >= 1)
    .map((group) => `${texts.groups[group]} ${money(day.amounts[group], currency)}`)
    .join(', ');
  return texts.day(dayName(period, day), total, parts);
}

function Chart({ days, period, currency }: ChartProps) {
  const texts = t().usage;
  const id = useId();
  const chosen = Number(query.value.get('day') ?? 0);
  const shown = days.find(({ number }) => number === chosen) ?? null;
  const dearest = Math.max(...days.map(({ amounts }) => totalOf(amounts)));
  const most = roundUp(dearest);
  const marks = dearest < 1 ? [0] : [0, 0.5, 1];
  const label = most < SMALL_MICRO ? smallMoney : money;
  const step = (WIDTH - LEFT) / days.length;
  const yOf = (micro: number) => ABOVE + (HEIGHT - ABOVE) * (1 - Math.max(0, micro) / most);

  function walk(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: chosen + 1,
      ArrowLeft: chosen - 1,
      Home: 1,
      End: days.length,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setQuery({ day: `${Math.min(days.length, Math.max(1, next))}` });
  }

  return (
    <>
      <div
        class="chart"
        role="listbox"
        tabIndex={0}
        aria-label={texts.byDay}
        aria-activedescendant={shown === null ? undefined : `${id}-${shown.number}`}
        onKeyDown={walk}
      >
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + BELOW}`} role="presentation">
          {marks.map((part) => (
            <g key={part}>
              <line x1={LEFT - 4} x2={WIDTH} y1={yOf(most * part)} y2={yOf(most * part)} />
              <text x={0} y={yOf(most * part) + 4}>
                {label(most * part, currency)}
              </text>
            </g>
          ))}
          {days.map((day) => (
            <g
              key={day.number}
              id={`${id}-${day.number}`}
              role="option"
              aria-selected={day.number === chosen}
              aria-label={dayText(period, day, currency)}
              onClick={() => setQuery({ day: `${day.number}` })}
            >
              <Column day={day} x={LEFT + (day.number - 1) * step} width={step} yOf={yOf} />
              {(day.number === 1 || day.number % LABEL_EVERY === 0) && (
                <text class="day" x={LEFT + (day.number - 0.5) * step} y={HEIGHT + BELOW - 5}>
                  {day.number}
                </text>
              )}
            </g>
          ))}
        </svg>
      </div>
      <p class="chart-reading" aria-live="polite">
        {shown === null ? texts.walk : dayText(period, shown, currency)}
      </p>
    </>
  );
}

type ColumnProps = {
  readonly day: Day;
  readonly x: number;
  readonly width: number;
  readonly yOf: (micro: number) => number;
};

function Column({ day, x, width, yOf }: ColumnProps) {
  let below = 0;
  const parts = GROUPS.map((group) => {
    const from = below;
    below += Math.max(0, day.amounts[group]);
    return { group, from, to: below };
  });
  return (
    <>
      <rect class="hit" x={x} width={width} y={0} height={HEIGHT} />
      {parts
        .filter(({ from, to }) => to > from)
        .map(({ group, from, to }) => (
          <rect
            key={group}
            class={day.isForecast ? 'series-forecast' : `series-${group}`}
            x={x + (width * GAP) / 2}
            width={width * (1 - GAP)}
            y={yOf(to)}
            height={yOf(from) - yOf(to)}
          />
        ))}
    </>
  );
}

function DayTable({ days, period, currency }: ChartProps) {
  const texts = t().usage;
  const shown = days.filter(({ isForecast }) => !isForecast);
  return (
    <details>
      <summary>{texts.asTable}</summary>
      <table class="bill">
        <thead>
          <tr>
            <th scope="col">{texts.dayHead}</th>
            {GROUPS.map((group) => (
              <th key={group} scope="col" class="wide-cell">
                {texts.groups[group]}
              </th>
            ))}
            <th scope="col">{texts.total}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((day) => (
            <tr key={day.number}>
              <td>{dayName(period, day)}</td>
              {GROUPS.map((group) => (
                <td key={group} class="wide-cell">
                  {money(day.amounts[group], currency)}
                </td>
              ))}
              <td>{money(totalOf(day.amounts), currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
