// What is typed into the form of a drop link, and what the API takes of it.
import type { DropLink, NewDropLink } from 'quayside/client';
import type { Texts } from '../../i18n/i18n.ts';
import type { FIELDS } from './drop-calls.ts';
import {
  type DraftEnd,
  draftEnd,
  endOf,
  GIGABYTE,
  isAmount,
  isEndWrong,
  listOf,
  textOrNull,
} from './share-draft.ts';

export const USES = ['required', 'optional', 'none'] as const;
type FieldUse = (typeof USES)[number];

export type DropDraft = DraftEnd & {
  readonly prefix: string;
  readonly quarantine: boolean;
  readonly template: string;
  readonly fileGigabytes: string;
  readonly files: string;
  readonly totalGigabytes: string;
  readonly senderFiles: string;
  readonly senderGigabytes: string;
  readonly types: string;
  readonly pageTitle: string;
  readonly pageText: string;
  readonly asks: Readonly<Record<(typeof FIELDS)[number], FieldUse>>;
  readonly note: string;
};

/** Files of a link without a number of its own. Source: the API's schema. */
const FILES_DEFAULT = 10_000;
/** Where quarantines lie, beside all that a link's own folder lets others read. */
export const QUARANTINES = 'quarantine/';

/** The draft of a link that is there; without one, of a new link into a folder. */
export function dropDraftOf(link: DropLink | null, prefix = ''): DropDraft {
  if (link === null) {
    return {
      end: '30',
      day: '',
      prefix,
      quarantine: false,
      template: '{date}/{sender}/{name}',
      fileGigabytes: '5',
      files: '1000',
      totalGigabytes: '50',
      senderFiles: '',
      senderGigabytes: '',
      types: '',
      pageTitle: '',
      pageText: '',
      asks: { name: 'required', mail: 'none', note: 'optional' },
      note: '',
    };
  }
  const { limits, page } = link;
  return {
    ...draftEnd(link.expiresAt),
    prefix: link.prefix,
    quarantine: link.quarantine !== null,
    template: link.template,
    fileGigabytes: gigabytes(limits.fileBytes),
    files: `${limits.files}`,
    totalGigabytes: gigabytes(limits.totalBytes),
    senderFiles: `${limits.senderFiles ?? ''}`,
    senderGigabytes: gigabytes(limits.senderBytes),
    types: (limits.types ?? []).join(', '),
    pageTitle: page.title ?? '',
    pageText: page.text ?? '',
    asks: { name: page.name, mail: page.mail, note: page.note },
    note: link.note,
  };
}

const gigabytes = (bytes: number | null): string => (bytes === null ? '' : `${bytes / GIGABYTE}`);
const bytesOrNull = (text: string): number | null =>
  text === '' ? null : Math.round(Number(text) * GIGABYTE);

/** The folder as a prefix: '' or with a slash at its end. */
export const prefixOf = ({ prefix }: Pick<DropDraft, 'prefix'>): string => {
  const path = prefix.trim();
  return path === '' || path.endsWith('/') ? path : `${path}/`;
};

const isPath = (prefix: string): boolean =>
  prefix === '' ||
  prefix
    .slice(0, -1)
    .split('/')
    .every((name) => name.trim() === name && !['', '.', '..'].includes(name));

const EXAMPLE = { date: '', time: '090000', sender: 'Ada', mail: 'ada@example.org' };

/** The key that a file of today would get; null: the template is none. */
export function exampleOf(draft: Pick<DropDraft, 'prefix' | 'template'>, now = new Date()) {
  if (!/\{(?:name|file)\}$/.test(draft.template)) return null;
  const values: Readonly<Record<string, string>> = {
    ...EXAMPLE,
    date: now.toISOString().slice(0, 10),
    name: 'photos/1.jpg',
    file: '1.jpg',
  };
  const key = draft.template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  return /[{}]/.test(key) || !isPath(`${key}/`) ? null : prefixOf(draft) + key;
}

export type DropErrors = Partial<
  Record<'day' | 'prefix' | 'template' | 'types' | AmountName | CountName, string>
>;
type AmountName = 'fileGigabytes' | 'totalGigabytes' | 'senderGigabytes';
type CountName = 'files' | 'senderFiles';
const AMOUNTS: readonly AmountName[] = ['fileGigabytes', 'totalGigabytes', 'senderGigabytes'];
const COUNTS: readonly CountName[] = ['files', 'senderFiles'];
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/;
const isCount = (text: string): boolean => text === '' || /^[1-9]\d{0,5}$/.test(text);

/** What is wrong with a draft, by field. */
export function dropErrorsOf(
  draft: DropDraft,
  texts: Texts['links'],
  nowMs = Date.now(),
): DropErrors {
  const isWrong = (text: string) => !TYPE.test(text);
  const wrong = <Name extends string>(names: readonly Name[], text: string) =>
    Object.fromEntries(names.map((name) => [name, text]));
  return {
    ...(isEndWrong(draft, nowMs) ? { day: texts.endMissing } : {}),
    ...(isPath(prefixOf(draft)) ? {} : { prefix: texts.drop.prefixWrong }),
    ...(exampleOf(draft) === null ? { template: texts.drop.templateWrong } : {}),
    ...((listOf(draft.types) ?? []).some(isWrong) ? { types: texts.drop.typesWrong } : {}),
    ...wrong(
      AMOUNTS.filter((name) => !isAmount(draft[name], GIGABYTE)),
      texts.amountWrong,
    ),
    ...wrong(
      COUNTS.filter((name) => !isCount(draft[name])),
      texts.downloadsWrong,
    ),
  };
}

/** A quarantine of one link alone, so that a release moves its files and no others. */
function newQuarantine(): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `${QUARANTINES}${number.toString(16).padStart(8, '0')}/`;
}

/** What the API takes of a draft. */
export function dropBodyOf(draft: DropDraft, link: DropLink | null): NewDropLink {
  const { asks, files, senderFiles } = draft;
  return {
    prefix: prefixOf(draft),
    quarantine: draft.quarantine ? (link?.quarantine ?? newQuarantine()) : null,
    template: draft.template,
    limits: {
      fileBytes: bytesOrNull(draft.fileGigabytes),
      files: files === '' ? FILES_DEFAULT : Number(files),
      totalBytes: bytesOrNull(draft.totalGigabytes),
      senderFiles: senderFiles === '' ? null : Number(senderFiles),
      senderBytes: bytesOrNull(draft.senderGigabytes),
      types: listOf(draft.types),
    },
    page: { title: textOrNull(draft.pageTitle), text: textOrNull(draft.pageText), ...asks },
    note: draft.note,
    expiresAt: endOf(draft),
  };
}
