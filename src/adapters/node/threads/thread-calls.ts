// The calls between the first thread and the others. thread-peer.ts carries them.
import type { MessagePort } from 'node:worker_threads';
import type { Config } from '../../../config.ts';
import type { BlobId, BucketName } from '../../../domain/nouns.ts';
import type { ImageRecipe } from '../../../ports/derived.ts';
import type { DirectoryApi } from '../../../ports/directory.ts';
import type { LedgerApi } from '../../../ports/ledger.ts';
import type { IndexApi } from '../../../ports/metadata-index.ts';
import type { MetricFamily } from '../../../ports/metrics.ts';
import type { StoredDerived } from '../../shared/derived-bodies.ts';
import type { HandedPeer } from '../server/handed-connection.ts';
import type { TlsSettings } from '../tls/open-tls.ts';
import type { SharedMemory } from './shared-state.ts';

/** What a thread gets at its start. `config`: with the keys of the data folder. */
export type ThreadData = {
  readonly thread: number;
  readonly config: Config;
  readonly dataDir: string;
  readonly memory: SharedMemory;
  /** The TLS of the process, whose threads resume each other's sessions; null: plain HTTP. */
  readonly tls: TlsSettings | null;
};

/** Calls that the first thread answers, since a process has one of each thing behind them. */
export type FirstThreadCalls = {
  index(bucket: BucketName, name: keyof IndexApi, input: unknown): Promise<unknown>;
  directory(name: keyof DirectoryApi, input: unknown): Promise<unknown>;
  ledger(name: keyof LedgerApi, input: unknown): Promise<unknown>;
  /** Deletes files and folders. One thread alone may: removals of folders are counted. */
  deleteBlobs(ids: readonly BlobId[]): Promise<void>;
  findDerived(name: string): Promise<StoredDerived | null>;
  keepDerived(name: string, stored: StoredDerived): Promise<void>;
  makeImage(source: Uint8Array, recipe: ImageRecipe): Promise<StoredDerived | null>;
  /** Writes lines of the access log, with newlines between. */
  log(lines: string): void;
  /** Opens a connection to the first thread's server; the port is its other end. */
  connect(port: MessagePort, peer: HandedPeer): void;
  /** Says that the calling thread listens. */
  ready(): void;
};

/** Calls that the other threads answer. */
export type OtherThreadCalls = {
  families(): Promise<readonly MetricFamily[]>;
  /** Drops the descriptors of blobs that are being deleted. */
  forgetBlobs(ids: readonly BlobId[]): void;
  /** Reads the certificate again: signals reach the first thread alone. */
  renewTls(): Promise<void>;
  /**
   * Lets requests finish for so long, and flushes usage and logs. Resolves with how many
   * connections were cut.
   */
  close(limitMs: number): Promise<number>;
};
