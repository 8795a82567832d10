// What the saved lifecycle rules would do, foreseen by the server: counts, bytes and
// the first names.
import { useState } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { bytes, count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/small.tsx';

const DAY_MS = 86_400_000;
const AHEAD = ['0', '7', '30', '365'] as const;
/** Pages of the server that are read for one preview; each has up to 1,000 names. */
const PAGES_MAX = 10;
const NAMES_SHOWN = 20;

type Foreseen = {
  readonly groups: ReadonlyMap<string, { count: number; bytes: number }>;
  readonly names: readonly string[];
  readonly isComplete: boolean;
};

async function foresee(bucket: string, days: number, signal: AbortSignal): Promise<Foreseen> {
  const groups = new Map<string, { count: number; bytes: number }>();
  const names: string[] = [];
  const at = new Date(Date.now() + days * DAY_MS).toISOString();
  let cursor: string | null = null;
  for (let page = 0; page < PAGES_MAX; page++) {
    const query: { at: string; cursor?: string } = cursor === null ? { at } : { at, cursor };
    const path = { bucket };
    const answer = await client.request('GET /buckets/{bucket}/lifecycle-preview', {
      path,
      query,
      signal,
    });
    for (const { action, key, size } of answer.items) {
      const group = groups.get(action) ?? { count: 0, bytes: 0 };
      groups.set(action, { count: group.count + 1, bytes: group.bytes + Number(size ?? 0) });
      if (names.length < NAMES_SHOWN) names.push(key);
    }
    cursor = answer.nextCursor;
    if (cursor === null) break;
  }
  return { groups, names, isComplete: cursor === null };
}

export default function LifecyclePreview({ bucket }: { readonly bucket: string }) {
  const texts = t().buckets.lifecycle;
  const [ahead, setAhead] = useState<(typeof AHEAD)[number]>('0');
  const [isAsked, setAsked] = useState(false);
  const key = isAsked ? `bucket ${bucket} lifecycle ${ahead}` : null;
  const query = useQuery(key, (signal) => foresee(bucket, Number(ahead), signal));
  const found = query.data.value;
  return (
    <div class="setting-form">
      <SelectField
        label={texts.previewAt}
        value={ahead}
        onChange={setAhead}
        options={AHEAD.map((value) => ({
          value,
          label: value === '0' ? texts.now : texts.inDays(texts.days(Number(value))),
        }))}
        hint={texts.previewHint}
      />
      {!isAsked && (
        <div class="setting-actions">
          <Button kind="secondary" label={texts.preview} onClick={() => setAsked(true)} />
        </div>
      )}
      {isAsked && found === null && query.error.value !== null && (
        <Failure error={query.error.value} onRetry={query.reload} />
      )}
      {isAsked && found === null && query.error.value === null && <Skeleton width={240} />}
      {found !== null && <Result found={found} />}
    </div>
  );
}

function Result({ found }: { readonly found: Foreseen }) {
  const texts = t().buckets.lifecycle;
  const { groups, names, isComplete } = found;
  if (groups.size === 0) return <p role="status">{texts.nothingDue}</p>;
  const actions: Readonly<Record<string, string>> = texts.actions;
  return (
    <div role="status">
      <dl class="effects">
        {[...groups].map(([action, group]) => (
          <div key={action}>
            <dt>{actions[action] ?? action}</dt>
            <dd>{`${count(group.count)} · ${bytes(group.bytes)}`}</dd>
          </div>
        ))}
      </dl>
      {!isComplete && <p class="dim">{texts.moreDue}</p>}
      <details>
        <summary>{texts.firstNames}</summary>
        <ul class="failures">
          {names.map((name, at) => (
            <li key={`${at} ${name}`} class="mono">
              <bdi>{name}</bdi>
            </li>
          ))}
        </ul>
      </details>
      <p class="faint">{texts.nothingElse}</p>
    </div>
  );
}
