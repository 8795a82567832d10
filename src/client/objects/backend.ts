// How the bytes of objects reach the S3 surface. There are two ways, with one type:
// URLs that the JSON API presigns (token, session), and requests that are signed
// here (access key).

/** One request about an object. */
export type ObjectCall = {
  readonly method: 'GET' | 'HEAD' | 'PUT';
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string | undefined;
  /** The part that a PUT is, of that upload. */
  readonly part?: { readonly uploadId: string; readonly partNumber: number };
  /** Lower-case names. Of a read they may stay unsigned. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The response shall name the stored checksum. */
  readonly wantsChecksum?: boolean;
};

/** Where a call goes, and the headers that must go with it. */
export type Address = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

export type UploadRef = {
  readonly bucket: string;
  readonly key: string;
  readonly uploadId: string;
};

/** What is said of a new object besides its bytes. */
export type Attributes = {
  readonly contentType?: string | undefined;
  readonly cacheControl?: string | undefined;
  readonly contentDisposition?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly contentLanguage?: string | undefined;
  readonly expires?: string | undefined;
  /** User metadata, Unicode; names in lower case. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly storageClass?: string | undefined;
};

/** S3's names of the checksums that this client can make. */
export type Algorithm = 'SHA256' | 'CRC64NVME';

/** A part that the server has. */
export type StoredPart = {
  readonly partNumber: number;
  readonly sizeBytes: number;
  readonly etag: string;
  readonly checksum: { readonly algorithm: string; readonly value: string } | null;
};

/**
 * Only onto that state of the key: nothing there (`ifNone`), or an object with that
 * ETag.
 */
export type Condition = { readonly ifNone: boolean; readonly ifMatch: string | null };

/** An object as it is now. */
export type FoundObject = {
  readonly sizeBytes: number;
  readonly checksum: { readonly algorithm: string; readonly value: string } | null;
  readonly contentType: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly completed: Completed;
};

export type Completed = {
  readonly etag: string;
  readonly versionId: string | null;
  readonly checksum?: { readonly algorithm: string; readonly value: string } | null;
};

export type Backend = {
  /**
   * Cost: a request for each batch of calls, or three hashes. Addresses are for one
   * attempt.
   */
  address(call: ObjectCall, signal?: AbortSignal): Promise<Address>;
  /**
   * Learns the server’s clock from a refusal; true: another attempt is worth it.
   */
  learnClock(date: string | null): boolean;
  /** The current object, never an older one; null: there is none. */
  find(
    object: { readonly bucket: string; readonly key: string },
    signal: AbortSignal,
  ): Promise<FoundObject | null>;
  /** Begins a multipart upload; resolves with its id. */
  begin(
    object: { readonly bucket: string; readonly key: string },
    attributes: Attributes,
    algorithm: Algorithm | null,
    signal?: AbortSignal,
  ): Promise<string>;
  /** All parts that have arrived, by number. */
  parts(upload: UploadRef, signal?: AbortSignal): Promise<StoredPart[]>;
  /** May be repeated: the server remembers what it completed. */
  complete(
    upload: UploadRef,
    parts: readonly StoredPart[],
    condition: Condition,
    signal?: AbortSignal,
  ): Promise<Completed>;
  abort(upload: UploadRef): Promise<void>;
};
