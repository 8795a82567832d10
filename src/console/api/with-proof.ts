// Changes of credentials need a recent proof of who is there. Where the API wants
// one, a dialog asks for it over whatever is open, and the request is repeated.
import { signal } from '@preact/signals';
import { QuaysideError } from './client.ts';

type Asked = {
  /** Goes on with the request. */
  readonly onProved: () => void;
  readonly onCancel: () => void;
};

/** The proof that is asked for; null: none. The app shows its dialog. */
export const askedProof = signal<Asked | null>(null);

/** Given up by the person, who knows it: shown as nothing more than that. */
const givenUp = (cause: unknown) => {
  const words = cause instanceof Error ? cause.message : '';
  return new QuaysideError('RecentProofRequired', words, { status: 403, cause });
};

/**
 * Runs a request, and once more after a proof where the API wants one. Rejects with
 * RecentProofRequired when the proof is not given.
 */
export async function withProof<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (cause) {
    if (!(cause instanceof QuaysideError) || cause.code !== 'RecentProofRequired') throw cause;
    await new Promise<void>((resolve, reject) => {
      askedProof.value?.onCancel();
      askedProof.value = { onProved: resolve, onCancel: () => reject(givenUp(cause)) };
    });
    return run();
  }
}
