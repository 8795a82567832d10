// Share links between the API's JSON and what core takes and gives.
import type { z } from '@hono/zod-openapi';
import type { ShareChange } from '../../../core/links/share/change-share.ts';
import type { ShareInput } from '../../../core/links/share/share-input.ts';
import { type LinkId, linkPath } from '../../../domain/links/link-ids.ts';
import type {
  ShareLabel,
  ShareLimits,
  ShareLink,
  ShareUsage,
} from '../../../domain/links/share-links.ts';
import type {
  ListedShare,
  ShareCounts,
  ShareDay,
  ShareHistoryEntry,
  ShareSum,
} from '../../../domain/links/share-records.ts';
import type { SignedInCall } from '../../routing/api-call.ts';
import { serviceOrigin } from '../../routing/service-origin.ts';
import type {
  changeShareSchema,
  daySchema,
  historySchema,
  labelSchema,
  limitsSchema,
  listedShareSchema,
  makeShareSchema,
  shareSchema,
  sumSchema,
} from '../../schemas/links.ts';
import { isoTime, isoTimeOrNull, msOrNull } from '../../schemas/time.ts';

type ShownShare = z.infer<typeof shareSchema>;

/** A link as the API shows it: never its password. */
export function showShare(call: SignedInCall, link: ShareLink, usage: ShareUsage): ShownShare {
  const { id, target, audience, page } = link;
  return {
    id,
    url: serviceOrigin(call.request) + linkPath('share', { id, labelId: null }),
    createdAt: isoTime(link.createdAtMs),
    target: target.kind === 'keys' ? { kind: 'keys', keys: [...target.keys] } : { ...target },
    notBefore: isoTimeOrNull(link.notBeforeMs),
    expiresAt: isoTimeOrNull(link.expiresAtMs),
    revokedAt: isoTimeOrNull(link.revokedAtMs),
    hasPassword: link.passwordHash !== null,
    limits: showLimits(link.limits),
    audience: {
      addresses: audience.addresses && [...audience.addresses],
      countries: audience.countries && [...audience.countries],
    },
    page,
    note: link.note,
    cutsRunning: link.cutsRunning,
    usage: { downloads: usage.downloads, bytes: `${usage.bytes}` },
  };
}

function showLimits({ downloads, bytes, moneyMicro }: ShareLimits): ShownShare['limits'] {
  return {
    downloads,
    bytes: bytes === null ? null : `${bytes}`,
    moneyMicro: moneyMicro === null ? null : `${moneyMicro}`,
  };
}

/** A link of a list. */
export function showListed(
  call: SignedInCall,
  { link, usage, sums, labelCount, lastUsedMs }: ListedShare,
): z.infer<typeof listedShareSchema> {
  const lastUsedAt = isoTimeOrNull(lastUsedMs);
  const shown = showShare(call, link, usage);
  return { ...shown, labels: labelCount, sums: showCounts(sums), lastUsedAt };
}

const showCounts = ({ opened, started, completed, aborted, bytes }: ShareCounts) => ({
  ...{ opened, started, completed, aborted },
  bytes: `${bytes}`,
});

/** The counts of a recipient since the link was made. */
export function showSum({ labelId, ...counts }: ShareSum): z.infer<typeof sumSchema> {
  return { labelId, ...showCounts(counts) };
}

/** A recipient. */
export function showLabel(
  call: SignedInCall,
  linkId: LinkId,
  { id, name, createdAtMs, revokedAtMs }: ShareLabel,
): z.infer<typeof labelSchema> {
  return {
    id,
    url: serviceOrigin(call.request) + linkPath('share', { id: linkId, labelId: id }),
    name,
    createdAt: isoTime(createdAtMs),
    revokedAt: isoTimeOrNull(revokedAtMs),
  };
}

/** An entry of history; times and fields as they are stored. */
export function showHistory(entry: ShareHistoryEntry): z.infer<typeof historySchema> {
  const changes = Object.entries(entry.changes).map(([name, [before, after]]) => [
    name,
    { before, after },
  ]);
  return {
    at: isoTime(entry.atMs),
    action: entry.action,
    memberId: entry.memberId,
    accessKeyId: entry.accessKeyId,
    changes: Object.fromEntries(changes),
  };
}

/** The counts of a day. */
export function showDay(day: ShareDay): z.infer<typeof daySchema> {
  const { labelId, dayMs } = day;
  return {
    day: isoTime(dayMs).slice(0, 10),
    labelId,
    ...showCounts(day),
    referrers: { ...day.referrers },
    countries: { ...day.countries },
  };
}

/** What core takes of a new link. */
export function toInput(input: z.infer<typeof makeShareSchema>): ShareInput {
  const { notBefore, expiresAt, password, limits, audience, page, note, cutsRunning } = input;
  return {
    notBeforeMs: msOrNull(notBefore),
    expiresAtMs: msOrNull(expiresAt),
    password,
    limits: toLimits(limits),
    audience,
    page,
    note,
    cutsRunning,
  };
}

/** What core takes of a change: what was not sent is absent. */
export function toChange(change: z.infer<typeof changeShareSchema>): ShareChange {
  const { notBefore, expiresAt, limits, password, audience, page, note, cutsRunning, isRevoked } =
    change;
  return {
    ...(notBefore === undefined ? {} : { notBeforeMs: msOrNull(notBefore) }),
    ...(expiresAt === undefined ? {} : { expiresAtMs: msOrNull(expiresAt) }),
    ...(limits === undefined ? {} : { limits: toLimits(limits) }),
    ...(password === undefined ? {} : { password }),
    ...(audience === undefined ? {} : { audience }),
    ...(page === undefined ? {} : { page }),
    ...(note === undefined ? {} : { note }),
    ...(cutsRunning === undefined ? {} : { cutsRunning }),
    ...(isRevoked === undefined ? {} : { isRevoked }),
  };
}

function toLimits({ downloads, bytes, moneyMicro }: z.infer<typeof limitsSchema>) {
  const numberOrNull = (text: string | null) => (text === null ? null : Number(text));
  return { downloads, bytes: numberOrNull(bytes), moneyMicro: numberOrNull(moneyMicro) };
}
