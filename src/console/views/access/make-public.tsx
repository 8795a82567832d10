// Makes a bucket or a folder public: whom, how many, which addresses, what looks
// internal, what it may cost, before anything is opened.
import { Globe } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Answer } from 'quayside/client';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { href, objectPath } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { bytes, count, money } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import { CheckField, RadioField, TextField } from '../../ui/field.tsx';
import { PlainWords } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useAct } from '../change/use-act.ts';
import { orSay, refreshAccess } from './make-private.ts';

type Preview = Answer<'POST /buckets/{bucket}/public-access-preview'>;

export type MakePublicProps = {
  readonly bucket: string;
  /** `pub/`; '' is the whole bucket. */
  readonly prefix: string;
  readonly onClose: () => void;
};

/** A limit that is offered where a bucket has none, in units of the currency. */
const OFFERED_LIMIT = 10;
const NOTICE_PERCENT = 80;
const MICRO = 1_000_000;
const CAP_ID_MAX = 64;
/** Names that look internal and are shown; the others are counted. */
const INTERNAL_SHOWN = 4;

type Block = Answer<'GET /buckets/{bucket}'>['publicAccessBlock'];
type Limit = 'offered' | 'other' | 'none';

export default function MakePublic({ bucket, prefix, onClose }: MakePublicProps) {
  const texts = t().access;
  const [mayList, setMayList] = useState(false);
  const [limit, setLimit] = useState<Limit>('offered');
  const [otherLimit, setOtherLimit] = useState('');
  const isCapped = useRef(false);
  const act = useAct(onClose);
  const what = mayList ? 'read-and-list' : 'read';
  const body = { prefix, what } as const;
  const query = useQuery(`public-preview ${bucket} ${what} ${prefix}`, (signal) =>
    client.request('POST /buckets/{bucket}/public-access-preview', {
      path: { bucket },
      body,
      signal,
    }),
  );
  const preview = query.data.value;
  const canCap = may('caps:write') && preview !== null && capOf(preview, bucket) === null;
  const amount = limit === 'offered' ? OFFERED_LIMIT : limit === 'other' ? Number(otherLimit) : 0;
  const isAmountWrong = limit === 'other' && !(amount > 0 && amount < 1e9);

  function open(): void {
    if (preview === null || (canCap && isAmountWrong)) return;
    act.run(async () => {
      // The limit comes first: nothing is open without it. A second try has it already.
      if (canCap && limit !== 'none' && !isCapped.current) {
        await setCap(bucket, amount);
        isCapped.current = true;
      }
      // A cap of the bucket changes its ETag.
      const before = await client.buckets.get(bucket);
      const opened = await client.request('PUT /buckets/{bucket}/public-access', {
        path: { bucket: bucket },
        body,
        ifMatch: before,
      });
      refreshAccess(bucket);
      const objects = t().units.objects(preview.objects ?? 0, count(preview.objects ?? 0));
      const block = before.publicAccessBlock;
      showToast({
        text: preview.objects === null ? texts.nowPublic(place) : texts.nowPublicCount(objects),
        undo: () => void closeAgain(bucket, prefix, opened.lifted.length === 0 ? null : block),
      });
    });
  }

  const place = `${bucket}${prefix === '' ? '' : `/${prefix}`}`;
  return (
    <ActDialog
      title={texts.makePublicTitle(place)}
      width={600}
      onClose={onClose}
      onSubmit={open}
      focusesCancel
      kind="open"
      icon={Globe}
      act={act}
      off={preview === null ? t().change.counting : null}
      label={buttonLabel(preview)}
    >
      <Waiting of={query} width={320} />
      {preview !== null && (
        <>
          <Effect preview={preview} place={place} />
          <dl class="facts-form">
            <Addresses preview={preview} bucket={bucket} />
            <Listing mayList={mayList} onMayList={setMayList} />
            <Fact name={texts.costOfStrangers}>
              <p>{costWords(preview, bucket)}</p>
              {canCap && (
                <LimitChoice
                  limit={limit}
                  onLimit={setLimit}
                  other={otherLimit}
                  onOther={setOtherLimit}
                  isWrong={isAmountWrong}
                  currency={preview.worstCase.currency}
                />
              )}
            </Fact>
          </dl>
          <Statement preview={preview} />
        </>
      )}
    </ActDialog>
  );
}

/** Takes the opening back, and the block that it lifted, if any. */
function closeAgain(bucket: string, prefix: string, lifted: Block | null): Promise<void> {
  return orSay(bucket, async () => {
    await client.request('DELETE /buckets/{bucket}/public-access', {
      path: { bucket },
      query: { prefix },
    });
    if (lifted === null) return;
    const now = await client.buckets.get(bucket);
    await client.buckets.update(bucket, { body: { publicAccessBlock: lifted }, ifMatch: now });
  });
}

const capOf = ({ caps }: Preview, bucket: string) =>
  caps?.find((cap) => cap.bucket === bucket) ?? null;

function buttonLabel(preview: Preview | null): string {
  const texts = t().access;
  if (preview === null || preview.objects === null) return texts.makePublic;
  if (preview.objects === 0) return texts.makePublicEmpty;
  return texts.makePublicCount(t().units.objects(preview.objects, count(preview.objects)));
}

function Effect({ preview, place }: { readonly preview: Preview; readonly place: string }) {
  const texts = t().access;
  const { objects, bytes: size, lifted, reads } = preview;
  const what =
    objects === null
      ? texts.allObjects
      : texts.sized(t().units.objects(objects, count(objects)), bytes(size ?? 0));
  return (
    <PlainWords tone="open">
      {objects === 0 ? texts.opensEmpty(place) : texts.opens(what, place)}
      {lifted.length > 0 && ` ${texts.lifts}`}
      {reads.allowed === 'no' && ` ${texts.staysClosed}`}
      {reads.allowed === 'part' && ` ${texts.staysPart}`}
    </PlainWords>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type ListingProps = {
  readonly mayList: boolean;
  readonly onMayList: (mayList: boolean) => void;
};

function Listing({ mayList, onMayList }: ListingProps) {
  const texts = t().access;
  return (
    <Fact name={texts.lists}>
      <CheckField
        label={texts.mayList}
        hint={mayList ? texts.mayListOn : texts.mayListOff}
        checked={mayList}
        onChange={onMayList}
      />
    </Fact>
  );
}

function Statement({ preview }: { readonly preview: Preview }) {
  return (
    <details>
      <summary>{t().access.exactStatement}</summary>
      <pre class="code" tabIndex={0}>
        {JSON.stringify(preview.statements, null, 2)}
      </pre>
    </details>
  );
}

function Addresses({ preview, bucket }: { readonly preview: Preview; readonly bucket: string }) {
  const texts = t().access;
  const { urls, internalNames, isScanComplete } = preview;
  const more = internalNames.length - INTERNAL_SHOWN;
  return (
    <Fact name={texts.addresses}>
      {urls.length === 0 && <p class="dim">{texts.noAddresses}</p>}
      <ul class="addresses">
        {urls.map((url) => (
          <li key={url} class="mono" title={url}>
            <bdi>{url.replace(/^https?:\/\//, '')}</bdi>
          </li>
        ))}
      </ul>
      {internalNames.length > 0 && (
        <p class="warn">
          {texts.looksInternal}{' '}
          {internalNames.slice(0, INTERNAL_SHOWN).map((key, at) => (
            <span key={key}>
              {at > 0 && ', '}
              <a href={href(objectPath(bucket, key))}>
                <bdi>{key}</bdi>
              </a>
            </span>
          ))}
          {more > 0 && ` ${texts.andMore(count(more))}`}
        </p>
      )}
      {!isScanComplete && <p class="faint">{texts.notAllNames}</p>}
    </Fact>
  );
}

/** Which cap stands between strangers and the bill, and the worst without one. */
function costWords(preview: Preview, bucket: string): string {
  const texts = t().access;
  const { worstCase, caps } = preview;
  const worst = texts.worstCase(
    bytes(worstCase.bytes),
    money(worstCase.costMicro, worstCase.currency),
  );
  if (caps === null) return worst;
  const own = capOf(preview, bucket);
  const limitText = (cap: NonNullable<typeof own>) =>
    cap.unit === 'money' ? money(cap.limit, worstCase.currency) : bytes(cap.limit);
  if (own !== null) return texts.ownCap(limitText(own));
  const account = caps.find((cap) => (cap.bucket ?? null) === null);
  return account === undefined ? `${texts.noCap} ${worst}` : texts.accountCap(limitText(account));
}

type LimitProps = {
  readonly limit: Limit;
  readonly onLimit: (limit: Limit) => void;
  readonly other: string;
  readonly onOther: (other: string) => void;
  readonly isWrong: boolean;
  readonly currency: string;
};

function LimitChoice({ limit, onLimit, other, onOther, isWrong, currency }: LimitProps) {
  const texts = t().access;
  const offered = money(OFFERED_LIMIT * MICRO, currency);
  const notice = money(OFFERED_LIMIT * MICRO * (NOTICE_PERCENT / 100), currency);
  return (
    <>
      <RadioField
        legend={texts.limit}
        name="limit"
        value={limit}
        onChange={onLimit}
        options={[
          { value: 'offered', label: texts.stopAt(offered), hint: texts.stopAtHint(notice) },
          { value: 'other', label: texts.otherLimit },
          { value: 'none', label: texts.noLimit },
        ]}
      />
      {limit === 'other' && (
        <TextField
          label={texts.limitIn(currency)}
          type="number"
          min={1}
          value={other}
          onInput={onOther}
          error={other !== '' && isWrong ? texts.limitWrong : null}
        />
      )}
    </>
  );
}

async function setCap(bucket: string, amount: number): Promise<void> {
  const capId = `public-${bucket}`.replace(/[^\w-]/g, '-').slice(0, CAP_ID_MAX);
  await client.caps.put(capId, {
    body: {
      unit: 'money',
      limit: `${Math.round(amount * MICRO)}`,
      period: 'month',
      bucket,
      alertPercents: [NOTICE_PERCENT],
    },
  });
}
