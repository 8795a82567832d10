// The generated routes as the types that the rest of the client speaks.
import type { Routes } from './api-types.ts';

export type Route = keyof Routes;
export type Answer<R extends Route> = Routes[R]['answer'];

/** What every request may say besides its route's input. */
export type CommonOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Makes a POST safe to repeat; the client makes one up where none is given. */
  readonly idempotencyKey?: string | undefined;
  /**
   * Changes it only in that state: a response that this client gave, an ETag, or
   * `*`.
   */
  readonly ifMatch?: string | object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sees the response with its headers before its value is given. */
  readonly onResponse?: ((response: Response) => void) | undefined;
};

export type Input<R extends Route> = Omit<Routes[R], 'answer'>;
export type RequestOptions<R extends Route> = Input<R> & CommonOptions;

/**
 * The options of a call, which may be left out where nothing of them is required.
 */
export type OptionsOf<Options> = object extends Options ? [options?: Options] : [options: Options];

/** Routes whose answers are pages. */
export type ListRoute = {
  [R in Route]: Answer<R> extends { items: readonly unknown[]; nextCursor: string | null }
    ? R
    : never;
}[Route];
export type Item<R extends ListRoute> = Answer<R>['items'][number];

/** Routes that answer a file or go to one: they give the response itself. */
export type FileRoute = { [R in Route]: Answer<R> extends Response ? R : never }[Route];

export type Request = <R extends Route>(
  route: R,
  ...options: OptionsOf<RequestOptions<R>>
) => Promise<Answer<R>>;
