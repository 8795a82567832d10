// What queries share: one entry for each key, with its value and the one request that
// reads it. It knows neither components nor the page, so tests run it as it is.
import { batch, type Signal, signal } from '@preact/signals';

export type Load<Data> = (signal: AbortSignal) => Promise<Data>;

export type Query<Data> = {
  /** What was read last; null: nothing yet. Older data stays while newer is read. */
  readonly data: Signal<Data | null>;
  readonly error: Signal<unknown>;
  readonly isLoading: Signal<boolean>;
  /** Reads again. */
  reload(): void;
  /** Puts a value there before the server has said it: an optimistic change. */
  set(data: Data): void;
};

/** A query that is read from `start` on, until the function that it returns is called. */
export type StartedQuery<Data> = Query<Data> & { start(): () => void };

/** Results that are kept for going back to them at once. */
const KEPT_MAX = 100;
/** First wait before a query is repeated on a lost line, milliseconds; it doubles. */
const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 30_000;

/** What a store knows of the line and of who looks. */
export type Line = {
  /** Whether the line is gone, so that reading is tried again. */
  readonly isOffline: () => boolean;
  /** Resolves when the page is shown. */
  readonly whenSeen: () => Promise<void>;
};

/** One key. Whoever shows it shares the value, the error and the request. */
class Entry {
  readonly data = signal<unknown>(null);
  readonly error = signal<unknown>(null);
  readonly isLoading = signal(true);
  readonly key: string;
  load: Load<unknown>;
  /** Components that show it. */
  users = 0;
  /** Whether it was read before anybody showed it: the first who does reads no more. */
  isAhead = false;
  readonly #line: Line;
  readonly #onRead: (entry: Entry) => void;
  #flight: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitMs = RETRY_FIRST_MS;

  constructor(key: string, load: Load<unknown>, line: Line, onRead: (entry: Entry) => void) {
    this.key = key;
    this.load = load;
    this.#line = line;
    this.#onRead = onRead;
  }

  /** Whether a request is on its way: a second reader waits for it too. */
  get isInFlight(): boolean {
    return this.#flight !== null;
  }

  /** Reads anew; a response of before comes too late to be shown. */
  async read(): Promise<void> {
    this.stop();
    const flight = new AbortController();
    this.#flight = flight;
    this.isLoading.value = true;
    try {
      const loaded = await this.load(flight.signal);
      if (flight.signal.aborted) return;
      this.#flight = null;
      this.#waitMs = RETRY_FIRST_MS;
      this.#onRead(this);
      batch(() => {
        this.data.value = loaded;
        this.error.value = null;
        this.isLoading.value = false;
      });
    } catch (cause) {
      if (flight.signal.aborted) return;
      this.#flight = null;
      batch(() => {
        this.error.value = cause;
        this.isLoading.value = false;
      });
      if (!this.#line.isOffline()) return;
      this.#timer = setTimeout(() => void this.#readWhenSeen(), this.#waitMs);
      this.#waitMs = Math.min(RETRY_MAX_MS, this.#waitMs * 2);
    }
  }

  /** A request that began before a change answers with what was before it: it begins anew. */
  set(value: unknown): void {
    this.data.value = value;
    if (this.isInFlight) void this.read();
  }

  /** Nobody looks at a hidden page: it reads again when it is shown. */
  async #readWhenSeen(): Promise<void> {
    const timer = this.#timer;
    await this.#line.whenSeen();
    if (timer === this.#timer) await this.read();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flight?.abort();
    this.#flight = null;
  }
}

export class QueryStore {
  readonly #line: Line;
  #entries = new Map<string, Entry>();
  readonly #shown = new Set<Entry>();

  constructor(line: Line) {
    this.#line = line;
  }

  /** The query of a key, with what was read before; nothing is read until it starts. */
  query<Data>(key: string, load: Load<Data>): StartedQuery<Data> {
    const own = this.#entry(key, load);
    if (own.users === 0 && !own.isAhead) {
      // Shown anew: what failed the last time may not fail now.
      own.error.value = null;
      own.isLoading.value = true;
    }
    return {
      data: own.data as Signal<Data | null>,
      error: own.error,
      isLoading: own.isLoading,
      reload: () => void own.read(),
      set: (value) => own.set(value),
      start: () => this.#start(own, load),
    };
  }

  /** Begins to read what a view will show, before its code and texts are there. */
  readAhead(key: string, load: Load<unknown>): void {
    const entry = this.#entry(key, load);
    entry.isAhead = true;
    // Who is not signed in yet is refused: it is read when it is shown.
    void entry.read().then(() => this.#dropEmpty(entry));
  }

  /** Whether there is a request whose answer will be the first of its key. */
  isReadingFirst(): boolean {
    const entries = [...this.#entries.values()];
    return entries.some(({ data, isInFlight }) => isInFlight && data.peek() === null);
  }

  /** Reads again what is shown and begins with the key; all else is read when it is shown. */
  invalidate(prefix: string): void {
    for (const entry of this.#shown) if (entry.key.startsWith(prefix)) void entry.read();
  }

  /** Reads again all that is shown: the line is back. */
  reloadAll(): void {
    this.invalidate('');
  }

  /** Forgets everything, also what is still on its way: another person signs in. */
  forget(): void {
    this.#entries = new Map();
  }

  #entry(key: string, load: Load<unknown>): Entry {
    const entries = this.#entries;
    const known = entries.get(key);
    if (known !== undefined) return known;
    const entry = new Entry(key, load, this.#line, (read) => this.#keep(entries, read));
    entries.set(key, entry);
    return entry;
  }

  #start(entry: Entry, load: Load<unknown>): () => void {
    // The newest component's own function: that of one that is gone may know it no more.
    entry.load = load;
    entry.users++;
    this.#shown.add(entry);
    const isRead = entry.isAhead && entry.data.peek() !== null;
    entry.isAhead = false;
    if (!entry.isInFlight && !isRead) void entry.read();
    return () => {
      entry.users--;
      if (entry.users > 0) return;
      this.#shown.delete(entry);
      entry.stop();
      this.#dropEmpty(entry);
    };
  }

  /** What was left before its first answer has nothing to go back to. */
  #dropEmpty(entry: Entry): void {
    if (entry.users > 0 || entry.data.peek() !== null) return;
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
  }

  /** Keeps the newest; what is shown is never left out. */
  #keep(entries: Map<string, Entry>, entry: Entry): void {
    entries.delete(entry.key);
    entries.set(entry.key, entry);
    if (entries.size <= KEPT_MAX) return;
    for (const [key, { users }] of entries) {
      if (users > 0) continue;
      entries.delete(key);
      return;
    }
  }
}
