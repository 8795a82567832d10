// How tables whose rows expire stay small: each call that adds a row removes some
// old ones. The number is bounded, because nothing else runs meanwhile: after a
// flood, a call that removed all rows would block everybody, and on Cloudflare be
// cut off before its end, again and again. So whoever reads such a table checks the
// age too.

/**
 * Old rows that one call removes at most. More than it adds, so that any backlog
 * shrinks.
 */
export const ROWS_FORGOTTEN_AT_ONCE = 64;
