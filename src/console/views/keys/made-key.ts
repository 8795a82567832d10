// The key that was made last, with its secret, between the form and the page that
// shows it once. It is nowhere else: not in the address, not in the history.
import { signal } from '@preact/signals';
import type { Answer } from 'quayside/client';
import { invalidate } from '../../api/query.ts';
import { navigate } from '../../app/router.ts';

export type MadeKey = Answer<'POST /access-keys'>;

export const madeKey = signal<MadeKey | null>(null);

/** Shows a new key and its secret. */
export function showMadeKey(key: MadeKey): void {
  madeKey.value = key;
  invalidate('keys');
  navigate('/keys/made', { replace: true });
}
