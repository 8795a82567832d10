// What is said of every object of a batch: cache, type, class, metadata, tags.
import type { UploadOptions } from 'quayside/client';
import { t } from '../../../i18n/i18n.ts';
import { SelectField, TextField } from '../../../ui/field.tsx';

export type BatchOptions = {
  readonly cacheControl: string;
  readonly contentType: string;
  readonly contentDisposition: string;
  readonly storageClass: string;
  /** `name=value`, separated by commas. */
  readonly metadata: string;
  readonly tags: string;
};

export const NO_OPTIONS: BatchOptions = {
  cacheControl: '',
  contentType: '',
  contentDisposition: '',
  storageClass: 'STANDARD',
  metadata: '',
  tags: '',
};

/** Presets of Cache-Control: what each is for stands in the texts. */
const CACHE = {
  none: '',
  revalidate: 'no-cache',
  day: 'public, max-age=86400',
  forever: 'public, max-age=31536000, immutable',
} as const;

/** Classes that an object can be written in. Source: docs/s3-compatibility.md. */
const CLASSES = ['STANDARD', 'STANDARD_IA', 'ONEZONE_IA', 'GLACIER_IR'] as const;

/** Reads `a=1, b=2`. Null: a pair has no name or no value. */
export function readPairs(text: string): Record<string, string> | null {
  const pairs: Record<string, string> = {};
  for (const pair of text.split(/[,，\n]/)) {
    if (pair.trim() === '') continue;
    const at = pair.indexOf('=');
    if (at < 1 || pair.slice(0, at).trim() === '') return null;
    pairs[pair.slice(0, at).trim()] = pair.slice(at + 1).trim();
  }
  return pairs;
}

/** Whether all that was typed can be sent. */
export const isValid = ({ metadata, tags }: BatchOptions): boolean =>
  readPairs(metadata) !== null && readPairs(tags) !== null;

/** The options as the SDK takes them; what is empty is not said. */
export function toUploadOptions(options: BatchOptions): UploadOptions {
  const { cacheControl, contentType, contentDisposition, storageClass } = options;
  const metadata = readPairs(options.metadata) ?? {};
  const tags = readPairs(options.tags) ?? {};
  return {
    ...(cacheControl === '' ? {} : { cacheControl }),
    ...(contentType === '' ? {} : { contentType }),
    ...(contentDisposition === '' ? {} : { contentDisposition }),
    ...(storageClass === 'STANDARD' ? {} : { storageClass }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
  };
}

type FieldsProps = {
  readonly options: BatchOptions;
  readonly onChange: (options: BatchOptions) => void;
  /** What the files will be without an answer: `image/jpeg, text/plain`. */
  readonly guessedTypes: string;
};

export function BatchFields({ options, onChange, guessedTypes }: FieldsProps) {
  const texts = t().upload.batch;
  const set = (change: Partial<BatchOptions>) => onChange({ ...options, ...change });
  const pairError = (text: string) => (readPairs(text) === null ? texts.pairsError : null);
  const caches = (Object.keys(CACHE) as (keyof typeof CACHE)[]).map((name) => ({
    value: CACHE[name] as string,
    label: texts.caches[name],
  }));
  return (
    <details class="batch">
      <summary>{texts.title}</summary>
      <div class="batch-fields">
        <SelectField
          label={texts.cacheControl}
          value={options.cacheControl}
          options={caches}
          onChange={(cacheControl) => set({ cacheControl })}
        />
        <SelectField
          label={texts.storageClass}
          value={options.storageClass}
          options={CLASSES.map((value) => ({ value, label: value }))}
          onChange={(storageClass) => set({ storageClass })}
        />
        <TextField
          label={texts.contentType}
          value={options.contentType}
          placeholder={guessedTypes}
          hint={texts.contentTypeHint}
          onInput={(contentType) => set({ contentType })}
          mono
        />
        <TextField
          label={texts.contentDisposition}
          value={options.contentDisposition}
          placeholder="attachment"
          onInput={(contentDisposition) => set({ contentDisposition })}
          mono
        />
        <TextField
          label={texts.metadata}
          value={options.metadata}
          hint={texts.pairsHint}
          error={pairError(options.metadata)}
          onInput={(metadata) => set({ metadata })}
          mono
        />
        <TextField
          label={texts.tags}
          value={options.tags}
          hint={texts.pairsHint}
          error={pairError(options.tags)}
          onInput={(tags) => set({ tags })}
          mono
        />
      </div>
    </details>
  );
}
