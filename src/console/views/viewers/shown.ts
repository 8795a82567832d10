// What a viewer is given to show: an object of a bucket, or a member of an archive.
import type { ObjectDetail } from 'quayside/client';
import type { ByteSource, ObjectAddress } from './bytes.ts';

export type Shown = {
  /** Its last name: `dawn.jpg`. */
  readonly name: string;
  readonly contentType: string | null;
  readonly source: ByteSource;
  /** Where it is stored; null: inside something else. */
  readonly object: (ObjectAddress & { readonly detail: ObjectDetail }) | null;
};

/** Props of every viewer. */
export type ViewProps = {
  readonly shown: Shown;
  /** In the inspector or quick look: less of everything, and no tools. */
  readonly compact: boolean;
};

/** Facts that a viewer finds: `5,472 × 3,648`, `2 min 11 s`. */
export type ObjectFacts = { readonly measure?: string };
