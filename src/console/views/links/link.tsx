// One share link: its address, its conditions, who got it, what visitors did, what
// was changed.
import { Copy, Link2Off, Plus, RotateCcw } from 'lucide';
import { useState } from 'preact/hooks';
import type { ShareLabel, ShareLink, ShareSum } from 'quayside/client';
import { client } from '../../api/client.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { useOverview } from '../../app/overview.ts';
import { href, objectPath } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { bytes, count, endTime, money } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';
import { TextField } from '../../ui/field.tsx';
import { InlineError } from '../../ui/small.tsx';
import { Section } from '../settings/section.tsx';
import { useSaving } from '../settings/use-saving.ts';
import { getLink } from './link-calls.ts';
import { type Fact, Facts, HistoryRows, LinkFrame } from './link-frame.tsx';
import { linkMenu } from './link-menu.tsx';
import { targetName } from './link-names.ts';
import { topOf } from './link-sums.ts';

const DAYS = 30;
/** Hosts and countries that are named. */
const TOP = 5;

type PageProps = { readonly bucket: string; readonly id: string };
type PartProps = { readonly bucket: string; readonly link: ShareLink };

export function LinkPage({ bucket, id }: PageProps) {
  const query = useQuery(`links ${bucket} ${id}`, (signal) => getLink(bucket, id, signal));
  const link = query.data.value;
  return (
    <LinkFrame
      query={query}
      name={link === null ? t().shell.links : targetName(link.target, t().links)}
      menu={(toList) => (link === null ? [] : linkMenu({ bucket, link }, toList))}
    >
      {link !== null && (
        <>
          <Facts facts={factsOf(bucket, link)} />
          <Counts bucket={bucket} link={link} />
          <History bucket={bucket} link={link} />
        </>
      )}
    </LinkFrame>
  );
}

/** What the link lets whom do. */
function factsOf(bucket: string, link: ShareLink): readonly Fact[] {
  const texts = t().links;
  const currency = useOverview().data.value?.month?.currency ?? 'USD';
  const { target, limits, page, audience, usage } = link;
  const place =
    target.kind === 'object' ? target.key : target.kind === 'folder' ? target.prefix : '';
  return [
    [texts.what, <a href={href(objectPath(bucket, place))}>{targetName(target, texts)}</a>],
    [texts.bucket, bucket],
    [texts.ends, link.expiresAt === null ? texts.endChoices.never : endTime(link.expiresAt)],
    [texts.password, link.hasPassword ? t().browse.yes : texts.no],
    [texts.mode, texts.modes[page.mode ?? 'preview']],
    ...(limits.downloads
      ? [[texts.downloads, texts.ofMost(count(usage.downloads), count(limits.downloads))] as const]
      : []),
    ...(limits.bytes
      ? [[texts.traffic, texts.ofMost(bytes(usage.bytes), bytes(limits.bytes))] as const]
      : []),
    ...(limits.moneyMicro
      ? [[texts.money(currency), money(limits.moneyMicro, currency)] as const]
      : []),
    ...(audience.addresses ? [[texts.addresses, audience.addresses.join(', ')] as const] : []),
    ...(audience.countries ? [[texts.countries, audience.countries.join(', ')] as const] : []),
    ...(link.note === '' ? [] : [[texts.note, link.note] as const]),
  ];
}

function Counts({ bucket, link }: PartProps) {
  const texts = t().links;
  const path = { bucket, linkId: link.id };
  const labels = useQuery(`links ${bucket} ${link.id} labels`, (signal) =>
    client.request('GET /buckets/{bucket}/share-links/{linkId}/labels', { path, signal }),
  );
  const days = useQuery(`links ${bucket} ${link.id} days`, (signal) =>
    client.request('GET /buckets/{bucket}/share-links/{linkId}/statistics', {
      path,
      query: { days: DAYS },
      signal,
    }),
  );
  const { items, sums } = days.data.value ?? { items: [], sums: [] };
  const names = labels.data.value?.items ?? [];
  const origins = [...topOf(items, 'referrers', TOP), ...topOf(items, 'countries', TOP)];
  return (
    <>
      <Section title={texts.recipients} lead={texts.recipientsLead}>
        <CountTable bucket={bucket} link={link} labels={names} sums={sums} />
        {may('links:write') && <AddLabel bucket={bucket} link={link} />}
      </Section>
      {origins.length > 0 && (
        <Section title={texts.from}>
          <p>
            {origins.map(([name, times]) => (
              <span key={name} class="tag">
                <bdi>{name}</bdi> {count(times)}
              </span>
            ))}
          </p>
        </Section>
      )}
    </>
  );
}

type CountProps = PartProps & {
  readonly labels: readonly ShareLabel[];
  readonly sums: readonly ShareSum[];
};

const NOTHING = { opened: 0, completed: 0, aborted: 0, bytes: '0' };

function CountTable({ bucket, link, labels, sums }: CountProps) {
  const texts = t().links;
  const rows = [null, ...labels];
  return (
    <div class="scroll-x">
      <table class="counts">
        <caption>{texts.counts}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.recipients}</th>
            <th scope="col">{texts.opened}</th>
            <th scope="col">{texts.completed}</th>
            <th scope="col">{texts.aborted}</th>
            <th scope="col">{texts.traffic}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map((label) => {
            const sum = sums.find(({ labelId }) => labelId === (label?.id ?? null)) ?? NOTHING;
            return (
              <tr key={label?.id ?? ''}>
                <th scope="row">
                  <bdi>{label?.name ?? texts.everybodyElse}</bdi>
                  {label !== null && label.revokedAt !== null && (
                    <span class="tag bad">{texts.states.revoked}</span>
                  )}
                </th>
                <td>{count(sum.opened)}</td>
                <td>{count(sum.completed)}</td>
                <td>{count(sum.aborted)}</td>
                <td>{bytes(sum.bytes)}</td>
                <td>{label !== null && <LabelActs bucket={bucket} link={link} label={label} />}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function LabelActs({ bucket, link, label }: PartProps & { readonly label: ShareLabel }) {
  const texts = t().links;
  const saving = useSaving();
  const isRevoked = label.revokedAt !== null;
  const act = isRevoked ? texts.revive : texts.revoke;
  return (
    <>
      <Button
        icon={Copy}
        iconOnly
        label={`${texts.copy}: ${label.name}`}
        onClick={() => void copyText(label.url, texts.copied)}
      />
      {may('links:write') && (
        <Button
          icon={isRevoked ? RotateCcw : Link2Off}
          iconOnly
          isBusy={saving.isBusy}
          label={`${act}: ${label.name}`}
          onClick={() =>
            saving.run(async () => {
              await client.request(
                'PATCH /buckets/{bucket}/share-links/{linkId}/labels/{labelId}',
                {
                  path: { bucket, linkId: link.id, labelId: label.id },
                  body: { isRevoked: !isRevoked },
                },
              );
              invalidate('links');
            })
          }
        />
      )}
      {saving.error !== null && <InlineError text={saving.error} />}
    </>
  );
}

function AddLabel({ bucket, link }: PartProps) {
  const texts = t().links;
  const [name, setName] = useState('');
  const saving = useSaving();
  function add(event: SubmitEvent): void {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted === '') return;
    saving.run(async () => {
      const label = await client.request('POST /buckets/{bucket}/share-links/{linkId}/labels', {
        path: { bucket, linkId: link.id },
        body: { name: wanted },
      });
      setName('');
      invalidate('links');
      await copyText(label.url, texts.copied);
    });
  }
  return (
    <form class="add-label" onSubmit={add}>
      <TextField label={texts.recipient} value={name} onInput={setName} maxLength={200} />
      <Button kind="secondary" type="submit" icon={Plus} isBusy={saving.isBusy} label={texts.add} />
      {saving.error !== null && <InlineError text={saving.error} />}
    </form>
  );
}

function History({ bucket, link }: PartProps) {
  const history = useQuery(`links ${bucket} ${link.id} history`, (signal) =>
    client.request('GET /buckets/{bucket}/share-links/{linkId}/history', {
      path: { bucket, linkId: link.id },
      signal,
    }),
  );
  return <HistoryRows items={history.data.value?.items ?? []} />;
}
