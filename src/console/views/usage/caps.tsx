// Caps and how each stands; setting one says what happens at the notice and the limit.
import { Plus } from 'lucide';
import type { Cap } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { may } from '../../app/session.ts';
import { bytes, endTime, money, percent } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { LoadLine } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { SetCap } from './set-cap.tsx';

export const openSetCap = (currency: string, cap: Cap | null): void =>
  openDialog((close) => <SetCap currency={currency} cap={cap} onClose={close} />);

export function refreshCaps(): void {
  for (const key of ['caps', 'overview']) invalidate(key);
}

export function Caps({ currency }: { readonly currency: string | null }) {
  const texts = t().usage;
  const caps = useQuery('caps', (signal) => client.request('GET /caps', { signal }));
  const items = caps.data.value?.items ?? null;
  return (
    <section aria-label={texts.caps}>
      <h2 class="section-title">
        {texts.caps}
        {may('caps:write') && currency !== null && (
          <Button icon={Plus} label={texts.setCap} onClick={() => openSetCap(currency, null)} />
        )}
      </h2>
      <Waiting of={caps} width={200} />
      {items?.length === 0 && <p class="faint">{texts.noCap}</p>}
      <ul class="caps">
        {items?.map((cap) => (
          <CapRow key={cap.id} cap={cap} currency={currency ?? 'USD'} />
        ))}
      </ul>
    </section>
  );
}

/** Who a cap is on: a bucket, an access key, or the account. */
export function capScope({ bucket, accessKeyId }: Pick<Cap, 'bucket' | 'accessKeyId'>): string {
  const texts = t().usage;
  if (bucket != null) return texts.onBucket(bucket);
  return accessKeyId == null ? texts.onAccount : texts.onKey(accessKeyId);
}

function CapRow({ cap, currency }: { readonly cap: Cap; readonly currency: string }) {
  const texts = t().usage;
  const show = (amount: string) => (cap.unit === 'money' ? money(amount, currency) : bytes(amount));
  const alert = cap.alertPercents?.find((one) => one < 100);
  const isLifted = cap.liftedUntil != null && Date.parse(cap.liftedUntil) > Date.now();
  return (
    <li>
      <span class="spread">
        <span class="cut">{capScope(cap)}</span>
        <span>{texts.spentOf(show(cap.spent), show(cap.limit))}</span>
      </span>
      <LoadLine
        isThin
        hasLimit
        label={capScope(cap)}
        now={cap.percent / 100}
        alert={alert === undefined ? undefined : alert / 100}
      />
      <span class="spread faint">
        <span>
          {isLifted
            ? texts.liftedUntil(endTime(cap.liftedUntil ?? ''))
            : texts.standing[cap.level](percent(cap.percent / 100), endTime(cap.periodEndsAt))}
        </span>
        {may('caps:write') && (
          <span class="cap-acts">
            <button type="button" class="link" onClick={() => openSetCap(currency, cap)}>
              {texts.change}
            </button>
            <button type="button" class="link" onClick={() => void removeCap(cap)}>
              {texts.remove}
            </button>
          </span>
        )}
      </span>
    </li>
  );
}

/** Removes a cap at once; Undo sets the same again. */
async function removeCap(cap: Cap): Promise<void> {
  const { id, spent: _, percent: _1, level: _2, periodEndsAt: _3, ...body } = cap;
  const putBack = async () => {
    try {
      await client.caps.put(id, { body });
      showToast({ text: t().access.undone });
    } catch (error) {
      showToast({ text: errorLine(error) });
    }
    refreshCaps();
  };
  try {
    await client.caps.delete(id);
    showToast({ text: t().usage.removed(capScope(cap)), undo: () => void putBack() });
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
  refreshCaps();
}
