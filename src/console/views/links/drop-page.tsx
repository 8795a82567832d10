// One drop link: its address, what came by it, what it takes, what was changed.
import { Link2Off, RotateCcw } from 'lucide';
import type { DropLink } from 'quayside/client';
import { useQuery } from '../../api/query.ts';
import { href, objectPath } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { bytes, count, endTime } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { dropHistory, FIELDS, getDrop } from './drop-calls.ts';
import { Inbox } from './drop-inbox.tsx';
import { type Fact, Facts, HistoryRows, LinkFrame } from './link-frame.tsx';
import { dropMenu, switchDrop } from './link-menu.tsx';
import { dropName } from './link-names.ts';

export function DropPage({ bucket, id }: { readonly bucket: string; readonly id: string }) {
  const texts = t().links;
  const query = useQuery(`links ${bucket} ${id}`, (signal) => getDrop(bucket, id, signal));
  const history = useQuery(`links ${bucket} ${id} history`, (signal) =>
    dropHistory(bucket, id, signal),
  );
  const link = query.data.value;
  const isOff = link !== null && link.revokedAt !== null;
  return (
    <LinkFrame
      query={query}
      name={link === null ? t().shell.links : dropName(bucket, link)}
      menu={(toList) => (link === null ? [] : dropMenu({ bucket, link }, toList))}
      actions={
        may('links:write') && (
          <Button
            kind="secondary"
            icon={isOff ? RotateCcw : Link2Off}
            label={isOff ? texts.drop.turnOn : texts.drop.turnOff}
            onClick={() => void (link === null ? null : switchDrop({ bucket, link }))}
          />
        )
      }
    >
      {link !== null && (
        <>
          <Inbox bucket={bucket} link={link} />
          <Facts facts={factsOf(bucket, link)} />
          <HistoryRows items={history.data.value?.items ?? []} />
        </>
      )}
    </LinkFrame>
  );
}

/** What the link takes, from whom. */
function factsOf(bucket: string, link: DropLink): readonly Fact[] {
  const all = t().links;
  const texts = all.drop;
  const { limits, page, prefix, quarantine } = link;
  const size = (name: string, value: number | null): readonly Fact[] =>
    // The unit in the name is that of the form's field.
    value === null ? [] : [[name.replace(/[,（].*$/, ''), bytes(value)]];
  const text = (name: string, value: string | null): readonly Fact[] =>
    value === null || value === '' ? [] : [[name, value]];
  const folder = (path: string) => (
    <a href={href(objectPath(bucket, path))}>{`${bucket}/${path}`}</a>
  );
  const asks = FIELDS.filter((name) => page[name] !== 'none').map(
    (name) => `${texts.fields[name]} (${texts.uses[page[name]]})`,
  );
  return [
    [texts.into, folder(prefix)],
    ...(quarantine === null ? [] : [[texts.quarantinePrefix, folder(quarantine)] as const]),
    [texts.template, <code class="mono">{link.template}</code>],
    [all.ends, link.expiresAt === null ? all.endChoices.never : endTime(link.expiresAt)],
    ...text(texts.asks, asks.join(', ')),
    [texts.files, count(limits.files)],
    ...size(texts.fileGigabytes, limits.fileBytes),
    ...size(texts.totalGigabytes, limits.totalBytes),
    ...(limits.senderFiles === null
      ? []
      : [[texts.senderFiles, count(limits.senderFiles)] as const]),
    ...size(texts.senderGigabytes, limits.senderBytes),
    ...text(texts.types, limits.types?.join(', ') ?? null),
    ...text(all.note, link.note),
  ];
}
