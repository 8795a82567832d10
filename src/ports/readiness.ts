// Whether the server can take what comes: for load balancers and operators. Anybody
// may read it.

/**
 * `root-key-missing`: every signed request is refused until it is set. `disk-full`:
 * writes are refused, reads and deletes go on. `disk-unknown`: the data folder does
 * not answer. `index-stalled`: commits have not ended for a while.
 */
export type NotReadyReason = 'root-key-missing' | 'disk-full' | 'disk-unknown' | 'index-stalled';

/** What the platform knows of itself. */
export type Readiness = {
  /**
   * Why it can't serve or write; empty when it can. Read from memory, without any
   * call. Cost: under 1 µs.
   */
  notReady(): readonly NotReadyReason[];
};
