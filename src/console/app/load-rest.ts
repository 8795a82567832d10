// What all views but a folder's need: their texts and their styles. A folder is shown
// without them; they follow when the page is idle, or with the first view that is opened.
import { loadViewTexts } from '../i18n/i18n.ts';

let loading: Promise<unknown> | null = null;

/** Loads it once; what failed is tried again by the next call. */
export function loadRest(): Promise<unknown> {
  loading ??= Promise.all([loadViewTexts(), import('./view-styles.ts')]).catch((cause) => {
    loading = null;
    throw cause;
  });
  return loading;
}
