// The dialog of an upload: files are chosen, then what is there and what it costs is
// said, clashes are decided and the batch gets its headers, all in one place.
import { useEffect, useState } from 'preact/hooks';
import { errorLine } from '../../../api/describe-error.ts';
import { bytes, count } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { InlineError, PlainWords, Skeleton } from '../../../ui/small.tsx';
import { carryOut } from '../bring-in.ts';
import { UploadDropZone } from '../choose/drop-zone.tsx';
import { nameOfTarget } from '../choose/drops.ts';
import { typeOfFile } from '../choose/file-types.ts';
import type { Chosen } from '../choose/read-files.ts';
import {
  BatchFields,
  type BatchOptions,
  isValid,
  NO_OPTIONS,
  toUploadOptions,
} from './batch-options.tsx';
import { Clashes, type Decisions, decide, NO_DECISIONS } from './clashes.tsx';
import { makePlan, outcome, type Plan } from './plan.ts';
import { priceWords, refusalWords } from './price-words.ts';

type UploadDialogProps = {
  readonly bucket: string;
  readonly prefix: string;
  /** What was dropped and looked at already. */
  readonly begun?: { readonly plan: Plan; readonly chosen: Chosen };
  readonly onClose: () => void;
};

/** Types that are named beside the field at most. */
const TYPES_SHOWN = 3;

export default function UploadDialog({ bucket, prefix, begun, onClose }: UploadDialogProps) {
  const texts = t().upload;
  const [chosen, setChosen] = useState<Chosen | null>(begun?.chosen ?? null);
  const [plan, setPlan] = useState<Plan | null>(begun?.plan ?? null);
  const [error, setError] = useState<unknown>(null);
  const [decisions, setDecisions] = useState<Decisions>(NO_DECISIONS);
  const [options, setOptions] = useState<BatchOptions>(NO_OPTIONS);

  useEffect(() => {
    if (chosen === null || chosen === begun?.chosen) return;
    const stop = new AbortController();
    setError(null);
    makePlan({ bucket, prefix }, chosen.files, stop.signal).then(setPlan, (cause: unknown) => {
      if (!stop.signal.aborted) setError(cause);
    });
    return () => stop.abort();
  }, [chosen]);

  const sent = plan === null ? { files: 0, bytes: 0 } : countSent(plan, decisions);
  const isReady = plan !== null && plan.price.refusal === null && isValid(options);
  const submit = () => {
    if (!isReady || chosen === null) return;
    onClose();
    carryOut(plan, (clash) => decide(decisions, clash), chosen, toUploadOptions(options));
  };
  const off = plan !== null && sent.files === 0 ? texts.nothingLeft : isReady ? null : texts.notYet;

  return (
    <Dialog
      title={texts.uploadTo(nameOfTarget(bucket, prefix))}
      width={620}
      onClose={onClose}
      onSubmit={submit}
      isDirty={options !== NO_OPTIONS}
      actions={
        chosen !== null && (
          <>
            <Button label={t().shell.cancel} onClick={onClose} />
            <Button
              kind="primary"
              type="submit"
              label={texts.uploadCount(sent.files)}
              autofocus={begun !== undefined}
              off={off}
            />
          </>
        )
      }
    >
      {chosen === null && <UploadDropZone onChosen={setChosen} />}
      {chosen !== null && plan === null && error === null && <Skeleton width={320} />}
      {error !== null && <InlineError text={errorLine(error)} />}
      {plan !== null && (
        <>
          {plan.clashes.length > 0 && (
            <Clashes clashes={plan.clashes} decisions={decisions} onChange={setDecisions} />
          )}
          <BatchFields options={options} onChange={setOptions} guessedTypes={typesOf(plan)} />
          <Summary plan={plan} sent={sent} />
        </>
      )}
    </Dialog>
  );
}

function Summary({ plan, sent }: { readonly plan: Plan; readonly sent: Sent }) {
  const texts = t().upload;
  const { price, isKnown, target } = plan;
  if (price.refusal !== null) return <InlineError text={refusalWords(price.refusal)} />;
  const money = priceWords(price);
  const where = `${target.bucket}/${target.prefix}`;
  return (
    <PlainWords>
      {texts.summary(sent.files, count(sent.files), bytes(sent.bytes), where)}
      {!isKnown && ` ${texts.notLooked}`}
      {money !== null && ` ${money}.`}
    </PlainWords>
  );
}

type Sent = { readonly files: number; readonly bytes: number };

/** What goes, after the decisions. */
function countSent({ fresh, clashes }: Plan, decisions: Decisions): Sent {
  const decided = clashes.filter((clash) => outcome(decide(decisions, clash), clash) !== 'skip');
  const files = [...fresh, ...decided.map(({ file }) => file)];
  return { files: files.length, bytes: files.reduce((sum, { file }) => sum + file.size, 0) };
}

/** `image/jpeg, text/plain, …` */
function typesOf({ files }: Plan): string {
  const types = new Set(files.map(({ file, path }) => typeOfFile(file, path)));
  const names = [...types].filter((type) => type !== undefined);
  return names.slice(0, TYPES_SHOWN).join(', ') + (names.length > TYPES_SHOWN ? ', …' : '');
}
