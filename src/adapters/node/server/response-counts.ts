// Counts what only the server sees: responses under way, responses whose client
// left before their end, and bytes that were no HTTP. serve.ts has one for the fast
// path and the full path together.
import type { ServerResponse } from 'node:http';
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';

export type ResponseCounts = {
  /** Counts a response of node:http until its end. Cost: 0.1 µs. */
  watch(outgoing: ServerResponse): void;
  /**
   * Counts a response of the fast path that is made later, or waits for its reader.
   */
  begun(): void;
  /**
   * Ends a response that was begun, once. `isWhole` false: its client left before
   * the end.
   */
  ended(isWhole: boolean): void;
  /**
   * Counts a response that was not begun here, and that its client did not get
   * whole.
   */
  cutShort(): void;
  /** Counts bytes that were no request. */
  refused(): void;
  families(): readonly MetricFamily[];
};

export function createResponseCounts(): ResponseCounts {
  let open = 0;
  let cutShort = 0;
  let refused = 0;
  function ended(isWhole: boolean): void {
    open -= 1;
    if (!isWhole) cutShort += 1;
  }
  /**
   * One listener for all responses: `close` comes once for each, whatever became of
   * it.
   */
  function onClose(this: ServerResponse): void {
    ended(this.writableFinished);
  }
  return {
    watch(outgoing) {
      open += 1;
      outgoing.on('close', onClose);
    },
    begun() {
      open += 1;
    },
    ended,
    cutShort() {
      cutShort += 1;
    },
    refused() {
      refused += 1;
    },
    families: () => [
      metricFamily(
        'gauge',
        'quayside_responses_open',
        'Answers that are being made or sent; not those sent at once.',
        [[{}, open]],
      ),
      metricFamily(
        'counter',
        'quayside_responses_cut_short_total',
        'Answers whose client left before their end.',
        [[{}, cutShort]],
      ),
      metricFamily(
        'counter',
        'quayside_malformed_requests_total',
        'What came and was refused as no HTTP, or as a target or Host that can be none.',
        [[{}, refused]],
      ),
    ],
  };
}
