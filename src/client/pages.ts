// Lists without an end of a page: every page is asked for, and a list that the
// server cut says so.
import { QuaysideError, unusableResponse } from './errors.ts';
import type { Item, ListRoute, OptionsOf, Request, RequestOptions, Route } from './routes.ts';

type Page = {
  readonly items: readonly unknown[];
  readonly nextCursor: string | null;
  readonly isComplete?: boolean;
};

export type Each = <R extends ListRoute>(
  route: R,
  ...options: OptionsOf<RequestOptions<R>>
) => AsyncGenerator<Item<R>, void, undefined>;

/** Items asked for at once. Source: the API's bound. */
const PAGE_ITEMS = 1000;
/** The list whose page has a fixed size, so that it takes no `limit`. */
const UNLIMITED: Route = 'GET /buckets/{bucket}/lifecycle-preview';

/**
 * Makes the iterator of lists. Code IncompleteList: the server looked at a part of
 * what there is (long lists sorted by size or date, short searches of large
 * buckets).
 */
export function createEach(request: Request): Each {
  async function* each(route: Route, given: { query?: object } = {}) {
    const limit = route === UNLIMITED ? {} : { limit: PAGE_ITEMS };
    let cursor: string | undefined;
    for (;;) {
      const query = { ...limit, ...given.query, ...(cursor === undefined ? {} : { cursor }) };
      const page = (await request(route, { ...given, query } as never)) as Page;
      yield* page.items;
      if (page.nextCursor === null) {
        if (page.isComplete !== false) return;
        throw new QuaysideError('IncompleteList', 'The list is cut.');
      }
      // A list that stands still would never end.
      if (page.nextCursor === cursor) throw unusableResponse();
      cursor = page.nextCursor;
    }
  }
  return each as Each;
}
