// How tables whose rows end by age are kept small: each call that adds a row removes some old ones.
// A bounded number of them, for nothing else runs meanwhile: after a flood, a single call that
// removed all of its rows would hold up everybody for as long as that takes, and on Cloudflare be
// cut off before its end, again and again. So whoever reads such a table looks at the age too.

/** Old rows that one call removes at most. More than it adds, so that any backlog shrinks. */
export const ROWS_FORGOTTEN_AT_ONCE = 64;
