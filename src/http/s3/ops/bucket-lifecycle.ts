// The lifecycle configuration of a bucket: put, get, delete. What it does is core/lifecycle's, in the scheduled sweep.
import { setBucketSettings } from '../../../core/buckets/set-bucket-settings.ts';
import type { Core } from '../../../core/core.ts';
import { validateRules } from '../../../core/lifecycle/validate-rules.ts';
import { XML_MAX_BYTES } from '../../../core/limits.ts';
import { StorageError } from '../../../ports/errors.ts';
import type { TransitionMinimum } from '../../../ports/lifecycle.ts';
import { type BucketCall, emptyAnswer, type S3Answer, xmlAnswer } from '../call.ts';
import { readLifecycle, writeLifecycle } from '../lifecycle-document.ts';
import { invalidArgument } from '../paging.ts';
import { readDocument } from '../read-document.ts';

const MINIMUM = 'x-amz-transition-default-minimum-object-size';

/**
 * Replaces all rules. Errors: MalformedXML, InvalidArgument, InvalidRequest (no digest too, as S3 wants one here),
 * InvalidTag, NotImplemented (archive classes), BadDigest. Cost: one commit.
 */
export async function answerPutBucketLifecycle(call: BucketCall, core: Core): Promise<S3Answer> {
  const { clock, ids } = core.ports;
  const transitionMinimum = readMinimum(call.header(MINIMUM));
  const rules = readLifecycle(await readDocument(call, XML_MAX_BYTES, true), () => ids.uploadId());
  validateRules(rules);
  const lifecycle = { rules, transitionMinimum, setAtMs: clock.nowMs() };
  await setBucketSettings(core, call.bucket, { lifecycle });
  return emptyAnswer(200, { [MINIMUM]: transitionMinimum });
}

function readMinimum(value: string | null): TransitionMinimum {
  if (value === null || value === 'all_storage_classes_128K') return 'all_storage_classes_128K';
  if (value === 'varies_by_storage_class') return value;
  throw invalidArgument(MINIMUM, value, `Invalid ${MINIMUM} found`);
}

/** Errors: NoSuchLifecycleConfiguration. */
export function answerGetBucketLifecycle(call: BucketCall): S3Answer {
  const { settings, name } = call.bucket.record();
  if (settings.lifecycle === null) {
    throw new StorageError('NoSuchLifecycleConfiguration', { fields: { BucketName: name } });
  }
  return xmlAnswer(writeLifecycle(settings.lifecycle.rules), { [MINIMUM]: settings.lifecycle.transitionMinimum });
}

/** Deleting what is not there is no error. Cost: one commit. */
export async function answerDeleteBucketLifecycle(call: BucketCall, core: Core): Promise<S3Answer> {
  await setBucketSettings(core, call.bucket, { lifecycle: null });
  return emptyAnswer(204);
}
