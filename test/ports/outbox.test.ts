// After which calls the dispatcher runs: a message that nobody looks for would wait an hour.
import { expect, it } from 'vitest';
import { mayHaveEnqueued, mayReport } from '../../src/ports/outbox.ts';

const QUIET = { bucket: {} };
const HEARD = { bucket: { notify: [] } };

it.each<[string, object, boolean]>([
  ['enqueueDeliveries', {}, true],
  ['replayDeliveries', {}, true],
  ['commitObject', HEARD, true],
  ['commitObject', QUIET, false],
  ['deleteObjects', HEARD, true],
  ['getVersion', HEARD, false],
  ['addDropFile', { ...HEARD, nearReport: [{}] }, true],
  ['addDropFile', { ...HEARD, nearReport: [] }, false],
  ['addDropFile', HEARD, false],
  ['finishDropFile', { ...QUIET, deliveries: [{}] }, true],
  ['finishDropFile', { ...QUIET, deliveries: [] }, false],
  ['finishDropFile', { ...HEARD, deliveries: [] }, true],
])('a call of %s with %j may have left something to send: %s', (name, input, expected) => {
  expect(mayHaveEnqueued(name, input)).toBe(expected);
});

it('reads report nothing', () => {
  expect([mayReport('getVersion'), mayReport('stepKeyJob')]).toEqual([false, true]);
});
