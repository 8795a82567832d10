// What this browser keeps of a person: places, layouts of folders, drafts, uploads and
// downloads that are not over. It is marked with the person, and forgotten when they
// sign out, and when another one signs in here.
import { clearRecords, DATABASES } from './records.ts';

/** The mark, in the storage of the browser and in that of the tab. */
const PERSON_STORED_AS = 'quayside-person';
/** What says how the console looks, and who signed in last, is of the browser. */
const KEPT: ReadonlySet<string> = new Set([
  'quayside-look',
  'quayside-copy-as',
  'quayside-sign-in',
  'quayside-login',
]);

/** Whom this page was shown to; null: nobody yet. */
let pagePerson: string | null = null;

function storages(): readonly Storage[] {
  try {
    return [localStorage, sessionStorage];
  } catch {
    // The browser keeps nothing, so there are no traces.
    return [];
  }
}

/**
 * Notes who is there. True: what another one left was here, and is forgotten; the
 * page must be loaded anew, because its memory still has it.
 */
export async function takeOver(person: string): Promise<boolean> {
  const marks = storages().map((storage) => storage.getItem(PERSON_STORED_AS));
  const others = [...marks, pagePerson].filter((mark) => mark !== null && mark !== person);
  if (others.length > 0) await forgetTraces();
  for (const storage of storages()) mark(storage, person);
  const isShown = pagePerson !== null && pagePerson !== person;
  const isMarked = storages().every((one) => one.getItem(PERSON_STORED_AS) === person);
  pagePerson = person;
  // Where no mark can be written, loading anew for its sake would never end.
  return isShown || (others.length > 0 && isMarked);
}

function mark(storage: Storage, person: string): void {
  try {
    storage.setItem(PERSON_STORED_AS, person);
  } catch {
    // Storage is full: the older mark stays, and what it marks is forgotten each time.
  }
}

/** Forgets all that this browser keeps of a person. */
export async function forgetTraces(): Promise<void> {
  for (const storage of storages()) {
    const names = Object.keys(storage).filter((name) => name.startsWith('quayside-'));
    for (const name of names) if (!KEPT.has(name)) storage.removeItem(name);
  }
  // A browser without databases, as some private windows are, has nothing in them.
  await Promise.allSettled(DATABASES.map(clearRecords));
}

/**
 * Calls `leave` when this page shows what it should not: another tab signed out or
 * signed somebody else in, or Back brought the page back as it was.
 */
export function watchPerson(leave: () => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === PERSON_STORED_AS && pagePerson !== null && newValue !== pagePerson) leave();
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) leave();
  });
}
