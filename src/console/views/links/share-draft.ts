// What is typed into the form of a share link, and what the API takes of it.
import type { NewShareLink, ShareLink } from 'quayside/client';
import type { Texts } from '../../i18n/i18n.ts';
import { type Selection, targetsOf } from '../browse/selection.ts';

export type Target = NewShareLink['target'];
export const END_CHOICES = ['1', '7', '30', 'date', 'never'] as const;
export const MODES = ['preview', 'download', 'view'] as const;
/** Objects of one link. Source: the API's schema of a target. */
export const KEYS_MAX = 500;
const DAY_MS = 86_400_000;
const MICRO = 1_000_000;
export const GIGABYTE = 1e9;
/** Characters of a password. Source: the API's schema. */
const PASSWORD_MIN = 4;
/** What the API takes of bytes and of millionths of a currency: 15 digits. */
const QUANTITY_MAX = 1e15;

/** When a link ends, as it is chosen. */
export type DraftEnd = {
  readonly end: (typeof END_CHOICES)[number];
  /** `2026-12-24`, where the reader is. */
  readonly day: string;
};

export type Draft = DraftEnd & {
  readonly password: string;
  readonly removesPassword: boolean;
  readonly downloads: string;
  readonly mode: (typeof MODES)[number];
  readonly gigabytes: string;
  readonly money: string;
  readonly fileName: string;
  readonly pageTitle: string;
  readonly pageText: string;
  readonly addresses: string;
  readonly countries: string;
  readonly note: string;
  readonly cutsRunning: boolean;
};

const NEW: Draft = {
  end: '30',
  day: '',
  password: '',
  removesPassword: false,
  downloads: '',
  mode: 'preview',
  gigabytes: '',
  money: '',
  fileName: '',
  pageTitle: '',
  pageText: '',
  addresses: '',
  countries: '',
  note: '',
  cutsRunning: false,
};

/** The selection as a link has it; null: too much for one. */
export function targetOf(selection: Selection): Target | null {
  const { keys, prefixes } = targetsOf(selection);
  const [prefix] = prefixes;
  if (prefix !== undefined)
    return keys.length === 0 && prefixes.length === 1 ? { kind: 'folder', prefix } : null;
  const [key] = keys;
  if (key === undefined || keys.length > KEYS_MAX) return null;
  return keys.length === 1 ? { kind: 'object', key, versionId: null } : { kind: 'keys', keys };
}

/** The draft of a link that is there; without one, of a new link. */
export function draftOf(link: ShareLink | null): Draft {
  if (link === null) return NEW;
  const { limits, page, audience } = link;
  return {
    ...NEW,
    ...draftEnd(link.expiresAt),
    downloads: `${limits.downloads ?? ''}`,
    gigabytes: limits.bytes ? `${Number(limits.bytes) / GIGABYTE}` : '',
    money: limits.moneyMicro ? `${Number(limits.moneyMicro) / MICRO}` : '',
    mode: page.mode ?? NEW.mode,
    fileName: page.fileName ?? '',
    pageTitle: page.title ?? '',
    pageText: page.text ?? '',
    addresses: (audience.addresses ?? []).join(', '),
    countries: (audience.countries ?? []).join(', '),
    note: link.note,
    cutsRunning: link.cutsRunning,
  };
}

/** The end of a link that is there, as it is chosen. */
export const draftEnd = (expiresAt: string | null): DraftEnd =>
  expiresAt === null ? { end: 'never', day: '' } : { end: 'date', day: dayOf(new Date(expiresAt)) };

const dayOf = (time: Date): string =>
  [time.getFullYear(), time.getMonth() + 1, time.getDate()]
    .map((part) => `${part}`.padStart(2, '0'))
    .join('-');

/** The end of a draft, ISO 8601; a day ends when it is over where the reader is. */
export function endOf({ end, day }: DraftEnd, nowMs = Date.now()): string | null {
  if (end === 'never') return null;
  if (end !== 'date') return new Date(nowMs + Number(end) * DAY_MS).toISOString();
  const time = new Date(`${day}T23:59:59`);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** Whether a link would end before now, or on no day. */
export function isEndWrong(draft: DraftEnd, nowMs: number): boolean {
  const endsAt = endOf(draft, nowMs);
  return draft.end === 'date' && (endsAt === null || Date.parse(endsAt) <= nowMs);
}

export type DraftErrors = Partial<
  Record<'day' | 'password' | 'downloads' | 'gigabytes' | 'money', string>
>;

export const isAmount = (text: string, step: number): boolean =>
  text === '' || (Number(text) * step >= 1 && Number(text) * step < QUANTITY_MAX);

/** What is wrong with a draft, by field. */
export function errorsOf(draft: Draft, texts: Texts['links'], nowMs = Date.now()): DraftErrors {
  const { password, downloads, gigabytes, money } = draft;
  const isDayWrong = isEndWrong(draft, nowMs);
  const isCountWrong = downloads !== '' && !/^[1-9]\d{0,8}$/.test(downloads);
  const isShort = password !== '' && password.length < PASSWORD_MIN;
  return {
    ...(isDayWrong ? { day: texts.endMissing } : {}),
    ...(isShort ? { password: texts.passwordHint } : {}),
    ...(isCountWrong ? { downloads: texts.downloadsWrong } : {}),
    ...(isAmount(gigabytes, GIGABYTE) ? {} : { gigabytes: texts.amountWrong }),
    ...(isAmount(money, MICRO) ? {} : { money: texts.amountWrong }),
  };
}

/** The words of a text that is typed as a list; null: none. */
export const listOf = (text: string): string[] | null => {
  const parts = text.split(/[\s,;、，]/).filter((part) => part !== '');
  return parts.length === 0 ? null : parts;
};
export const textOrNull = (text: string): string | null => (text === '' ? null : text);
const quantity = (text: string, step: number): string | null =>
  text === '' ? null : `${Math.round(Number(text) * step)}`;

/** What the API takes of a draft. Without `password` it stays as it is. */
export function bodyOf(draft: Draft, link: ShareLink | null): Omit<NewShareLink, 'target'> {
  const { password, removesPassword, downloads, countries } = draft;
  const page = link?.page;
  return {
    expiresAt: endOf(draft),
    ...(password === '' && !removesPassword ? {} : { password: textOrNull(password) }),
    limits: {
      downloads: downloads === '' ? null : Number(downloads),
      bytes: quantity(draft.gigabytes, GIGABYTE),
      moneyMicro: quantity(draft.money, MICRO),
    },
    audience: {
      addresses: listOf(draft.addresses),
      countries: listOf(countries.toUpperCase()),
    },
    page: {
      title: textOrNull(draft.pageTitle),
      text: textOrNull(draft.pageText),
      logoKey: page?.logoKey ?? null,
      colour: page?.colour ?? null,
      mode: draft.mode,
      fileName: textOrNull(draft.fileName),
    },
    note: draft.note,
    cutsRunning: draft.cutsRunning,
  };
}
