// When the totals of a bucket count the object of a PUT. Both ways are read
// everywhere; PUTs are counted as is named here (ADR 57). Pure.

/**
 * Totals of PUTs: `at-once`, in their own commits; `late`, with the next change that
 * writes the totals, if the PUT is of one new blob (late-objects.ts).
 */
export type PutTotals = 'at-once' | 'late';

/**
 * How this release counts; index-schema.ts refuses programs that could not read it.
 */
export const PUT_TOTALS: PutTotals = 'late';
