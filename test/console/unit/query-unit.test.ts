// Queries of the console's views, without a page: what is shared, what comes too late, what is
// tried again.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Load, QueryStore } from '../../../src/console/api/query-store.ts';

type Asked = {
  readonly signal: AbortSignal;
  answer(value: string): Promise<void>;
  fail(error: Error): Promise<void>;
};

/** A client that answers when the test says so. */
function fakeClient() {
  const asked: Asked[] = [];
  const settled = () => new Promise<void>((resolve) => process.nextTick(resolve));
  const load: Load<string> = (signal) =>
    new Promise((resolve, reject) => {
      asked.push({
        signal,
        answer(value) {
          resolve(value);
          return settled();
        },
        fail(error) {
          reject(error);
          return settled();
        },
      });
    });
  return { load, asked, at: (index: number) => asked[index] as Asked };
}

let isOffline = false;
let store: QueryStore;
beforeEach(() => {
  isOffline = false;
  store = new QueryStore({ isOffline: () => isOffline, whenSeen: () => Promise.resolve() });
});
afterEach(() => vi.useRealTimers());

describe('a query', () => {
  it('reads when it starts, and says so', async () => {
    const { load, asked, at } = fakeClient();
    const query = store.query('a', load);
    expect([asked.length, query.data.value, query.isLoading.value]).toEqual([0, null, true]);
    query.start();
    await at(0).answer('one');
    expect([query.data.value, query.isLoading.value, query.error.value]).toEqual([
      'one',
      false,
      null,
    ]);
  });

  it('is read ahead once, whether its component starts before the answer or after', async () => {
    const { load, asked, at } = fakeClient();
    store.readAhead('early', load);
    expect([asked.length, store.isReadingFirst()]).toEqual([1, true]);
    const early = store.query('early', load);
    early.start();
    await at(0).answer('one');
    expect([asked.length, early.data.value, early.isLoading.value]).toEqual([1, 'one', false]);

    store.readAhead('late', load);
    await at(1).answer('two');
    const late = store.query('late', load);
    expect([late.data.value, store.isReadingFirst()]).toEqual(['two', false]);
    const leave = late.start();
    expect(asked).toHaveLength(2);
    leave();
    store.query('late', load).start();
    expect(asked).toHaveLength(3);
  });

  it('that failed ahead is read again, without the error of before', async () => {
    const { load, asked, at } = fakeClient();
    store.readAhead('a', load);
    await at(0).fail(new Error('signed out'));
    await Promise.resolve();
    const query = store.query('a', load);
    query.start();
    expect([asked.length, query.error.value, query.isLoading.value]).toEqual([2, null, true]);
  });

  it('is shared by two components: one request, one value', async () => {
    const { load, asked, at } = fakeClient();
    const [first, second] = [store.query('a', load), store.query('a', load)];
    const leaveFirst = first.start();
    const leaveSecond = second.start();
    expect(asked).toHaveLength(1);
    leaveFirst();
    expect(at(0).signal.aborted).toBe(false);
    await at(0).answer('one');
    expect([first.data.value, second.data.value]).toEqual(['one', 'one']);
    second.set('typed');
    expect(first.data.value).toBe('typed');
    leaveSecond();
  });

  it('is aborted when the last component leaves, and its late answer is dropped', async () => {
    const { load, at } = fakeClient();
    const query = store.query('a', load);
    query.start()();
    expect(at(0).signal.aborted).toBe(true);
    await at(0).answer('late');
    expect(query.data.value).toBe(null);
  });

  it('shows what is known when it is shown again, and reads it anew', async () => {
    const { load, asked, at } = fakeClient();
    const leave = store.query('a', load).start();
    await at(0).answer('one');
    leave();
    const again = store.query('a', load);
    expect([again.data.value, again.isLoading.value]).toEqual(['one', true]);
    again.start();
    expect(asked).toHaveLength(2);
    await at(1).answer('two');
    expect(again.data.value).toBe('two');
  });

  it('shows the newest of two reads, whichever answers last', async () => {
    const { load, at } = fakeClient();
    const query = store.query('a', load);
    query.start();
    query.reload();
    expect(at(0).signal.aborted).toBe(true);
    await at(1).answer('new');
    await at(0).answer('old');
    expect(query.data.value).toBe('new');
    query.reload();
    query.reload();
    await at(2).fail(new Error('old'));
    expect([query.error.value, query.isLoading.value]).toEqual([null, true]);
  });

  it('keeps an optimistic change over the answer to an earlier request', async () => {
    const { load, asked, at } = fakeClient();
    const query = store.query('a', load);
    query.start();
    query.set('changed');
    await at(0).answer('before the change');
    expect([query.data.value, asked.length]).toEqual(['changed', 2]);
    await at(1).answer('changed, says the server');
    expect(query.data.value).toBe('changed, says the server');
  });

  it('keeps what it has when reading again fails, beside the error', async () => {
    const { load, at } = fakeClient();
    const query = store.query('a', load);
    query.start();
    await at(0).answer('one');
    query.reload();
    await at(1).fail(new Error('gone'));
    expect([query.data.value, `${query.error.value}`]).toEqual(['one', 'Error: gone']);
  });
});

describe('the store', () => {
  it('reads again what is shown and begins with the key, and nothing else', async () => {
    const [folder, hidden, other] = [fakeClient(), fakeClient(), fakeClient()];
    store.query('folder b x', folder.load).start();
    store.query('folder b y', hidden.load).start()();
    store.query('object b', other.load).start();
    store.invalidate('folder b ');
    expect([folder, hidden, other].map(({ asked }) => asked.length)).toEqual([2, 1, 1]);
    store.reloadAll();
    expect([folder, hidden, other].map(({ asked }) => asked.length)).toEqual([3, 1, 2]);
  });

  it('tries again while the line is away, ever more seldom, until it is left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { load, asked, at } = fakeClient();
    isOffline = true;
    const leave = store.query('a', load).start();
    await at(0).fail(new Error('line'));
    await vi.advanceTimersByTimeAsync(999);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await at(1).fail(new Error('line'));
    await vi.advanceTimersByTimeAsync(1999);
    expect(asked).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    await at(2).fail(new Error('line'));
    leave();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(3);
  });

  it('forgets what another person read, also what was on its way', async () => {
    const { load, at } = fakeClient();
    const leave = store.query('a', load).start();
    await at(0).answer('hers');
    store.query('a', load).reload();
    store.forget();
    await at(1).answer('hers too');
    leave();
    expect(store.query('a', load).data.value).toBe(null);
  });

  it('keeps a hundred results, and what is shown beside them', async () => {
    const shown = fakeClient();
    store.query('shown', shown.load).start();
    await shown.at(0).answer('shown');
    for (let index = 0; index < 150; index++) {
      const { load, at } = fakeClient();
      const leave = store.query(`key ${index}`, load).start();
      await at(0).answer(`${index}`);
      leave();
    }
    const { load } = fakeClient();
    const known = (key: string) => store.query(key, load).data.value;
    expect([known('key 149'), known('key 0'), known('shown')]).toEqual(['149', null, 'shown']);
  });
});
