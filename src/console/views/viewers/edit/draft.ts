// What is typed and not saved yet, kept for the tab: a reload or a crash loses none
// of it.

/** Drafts above this are not kept: storage of a tab has about 5 M characters. */
const DRAFT_MAX_LENGTH = 2_000_000;

export type Draft = {
  /** The state of the object that was being edited. */
  readonly etag: string;
  readonly base: string;
  readonly text: string;
};

const nameOf = (bucket: string, key: string) => `quayside-draft ${bucket} ${key}`;

export function readDraft(bucket: string, key: string): Draft | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(nameOf(bucket, key)) ?? 'null');
    return isDraft(stored) ? stored : null;
  } catch {
    return null;
  }
}

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' &&
  value !== null &&
  ['etag', 'base', 'text'].every((name) => typeof Reflect.get(value, name) === 'string');

export function keepDraft(bucket: string, key: string, draft: Draft): void {
  if (draft.base.length + draft.text.length > DRAFT_MAX_LENGTH) return;
  try {
    sessionStorage.setItem(nameOf(bucket, key), JSON.stringify(draft));
  } catch {
    // Storage is full or closed: the text stays in the page.
  }
}

export function dropDraft(bucket: string, key: string): void {
  try {
    sessionStorage.removeItem(nameOf(bucket, key));
  } catch {
    // Storage is closed: there is no draft.
  }
}
