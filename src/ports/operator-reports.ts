// What the platform finds in the background and the operator must hear of.

/** A share of the disk in use that was passed, in percent, and the figures of that moment. */
export type DiskReport = {
  readonly percent: number;
  readonly usedPercent: number;
  readonly totalBytes: number;
  readonly freeBytes: number;
};

/** Each resolves when the report is durable, and rejects where it is to be made again. */
export type OperatorReports = {
  diskCrossed(report: DiskReport): Promise<void>;
};
