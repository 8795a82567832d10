// Brings files into a folder: looks what is there and what it costs, asks where that
// is needed, then sends. The dock says meanwhile that it looks.
import { signal } from '@preact/signals';
import type { QueueFile, UploadOptions } from 'quayside/client';
import { errorLine } from '../../api/describe-error.ts';
import { showToast } from '../../ui/toast.tsx';
import { typeOfFile } from './batch-options.tsx';
import { type Choice, type Clash, filesOfPlan, makePlan, type Plan } from './plan.ts';
import type { Price } from './price.ts';
import type { Chosen } from './read-files.ts';
import { sendFiles, type UploadTarget } from './uploads.ts';

/** How many files are being looked for; 0: none. */
export const looking = signal(0);
/** What the newest batch costs, for the dock. */
export const lastPrice = signal<Price | null>(null);

/** Asks what becomes of clashes, or says why nothing is sent. */
type Review = (plan: Plan, chosen: Chosen) => void;
let review: Review = () => {};

/** Names the dialog that reviews a plan: it needs this module and is drawn by Preact. */
export function reviewWith(dialog: Review): void {
  review = dialog;
}

/** Looks, then sends at once, or asks first. */
export async function addUploads(target: UploadTarget, chosen: Chosen): Promise<void> {
  looking.value += chosen.files.length;
  try {
    const plan = await makePlan(target, chosen.files, new AbortController().signal);
    if (plan.clashes.length > 0 || plan.price.refusal !== null) review(plan, chosen);
    else carryOut(plan, () => 'skip', chosen);
  } catch (error) {
    showToast({ text: errorLine(error) });
  } finally {
    looking.value -= chosen.files.length;
  }
}

/** Sends what was decided. */
export function carryOut(
  plan: Plan,
  choiceOf: (clash: Clash) => Choice,
  _chosen: Chosen,
  options: UploadOptions = {},
): void {
  lastPrice.value = plan.price;
  const files = filesOfPlan(plan, choiceOf, options).map(withType);
  sendFiles(plan.target, files);
}

/** A file whose type the browser does not know gets one by its ending. */
function withType(one: QueueFile): QueueFile {
  const contentType = one.options?.contentType ?? typeOfFile(one.file, one.path);
  return contentType === undefined ? one : { ...one, options: { ...one.options, contentType } };
}
