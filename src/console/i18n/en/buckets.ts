// Texts of buckets.
export const buckets = {};
