// Brings files into a folder: looks what is there and what it costs, asks where that
// is needed, then sends. The dock says meanwhile that it looks.
import { signal } from '@preact/signals';
import type { QueueFile, UploadOptions } from 'quayside/client';
import { errorLine } from '../../api/describe-error.ts';
import { loadPart } from '../../app/lazy.tsx';
import { showToast } from '../../ui/toast.tsx';
import { typeOfFile } from './choose/file-types.ts';
import type { Chosen } from './choose/read-files.ts';
import { openReview } from './open-upload.tsx';
import { type Choice, type Clash, filesOfPlan, makePlan, type Plan } from './plan/plan.ts';
import type { Price } from './plan/price.ts';
import { type Interrupted, interrupted } from './resume/keep.ts';
import { sendFiles, type UploadTarget } from './send/upload-store.ts';

/** How many files are being looked for; 0: none. */
export const looking = signal(0);
/** What the newest batch costs, for the dock. */
export const lastPrice = signal<Price | null>(null);

/** Looks, then sends at once, or asks first. */
export async function bringIn(target: UploadTarget, chosen: Chosen): Promise<void> {
  looking.value += chosen.files.length;
  try {
    const before = interrupted.value.find((one) => isOf(one, target, chosen));
    const plan =
      before === undefined
        ? await planOf(target, chosen.files)
        : await planBeside(before, target, chosen);
    if (plan === null) return;
    if (plan.clashes.length > 0 || plan.price.refusal !== null) openReview({ plan, chosen });
    else carryOut(plan, () => 'skip', chosen);
  } catch (error) {
    showToast({ text: errorLine(error) });
  } finally {
    looking.value -= chosen.files.length;
  }
}

/** Whether what is dropped holds files that an earlier page left unfinished here. */
function isOf({ batch, files }: Interrupted, target: UploadTarget, chosen: Chosen): boolean {
  if (batch.bucket !== target.bucket || batch.prefix !== target.prefix) return false;
  const paths = new Map(chosen.files.map(({ path, file }) => [path, file]));
  return files.some(({ path, sizeBytes, modifiedAtMs }) => {
    const file = paths.get(path);
    return file?.size === sizeBytes && file.lastModified === modifiedAtMs;
  });
}

/** The files that were not left unfinished: they are new, or were sent before. */
function filesBeside({ files }: Interrupted, chosen: Chosen): QueueFile[] {
  const paths = new Set(files.map(({ path }) => path));
  return chosen.files.filter(({ path }) => !paths.has(path));
}

/** What becomes of the files; null: there are none. */
async function planOf(target: UploadTarget, files: readonly QueueFile[]): Promise<Plan | null> {
  return files.length === 0 ? null : makePlan(target, files, new AbortController().signal);
}

/** Goes on with the interrupted batch, and plans what else was chosen; null: nothing else. */
async function planBeside(
  before: Interrupted,
  target: UploadTarget,
  chosen: Chosen,
): Promise<Plan | null> {
  const { goOn, isSentAlready } = await loadPart(() => import('./resume/go-on.ts'));
  await goOn(before, chosen);
  const plan = await planOf(target, filesBeside(before, chosen));
  if (plan === null) return null;
  // What the interrupted batch itself has sent is no clash.
  const isSent = ({ file, existing }: Clash) =>
    isSentAlready(before.batch.createdAtMs, file.file.size, undefined, existing);
  return { ...plan, clashes: plan.clashes.filter((clash) => !isSent(clash)) };
}

/** Sends what was decided. */
export function carryOut(
  plan: Plan,
  choiceOf: (clash: Clash) => Choice,
  { roots }: Chosen,
  options: UploadOptions = {},
): void {
  lastPrice.value = plan.price;
  const files = filesOfPlan(plan, choiceOf, options).map(withType);
  sendFiles(plan.target, files, roots);
}

/** A file whose type the browser does not know gets one by its ending. */
function withType(one: QueueFile): QueueFile {
  const contentType = one.options?.contentType ?? typeOfFile(one.file, one.path);
  return contentType === undefined ? one : { ...one, options: { ...one.options, contentType } };
}
