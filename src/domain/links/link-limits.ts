// Limits of share links and drop links, each with its unit. All are our own; what a
// stranger can send or cause is bounded here.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

/** Random bytes of a link's id: 128 bits can't be guessed. */
export const LINK_ID_BYTES = 16;
/** Characters of a link's id in base64url without padding. */
export const LINK_ID_LENGTH = 22;
/** Random bytes of a label; its link's id protects it, it only tells recipients apart. */
export const LABEL_ID_BYTES = 6;
/** Characters of a label in base64url. */
export const LABEL_ID_LENGTH = 8;

/** Links of one bucket, of each kind. */
export const LINKS_PER_BUCKET_MAX = 10_000;
/** Labels of one link. */
export const LABELS_PER_LINK_MAX = 500;
/** Objects of a link to a set of keys. */
export const LINK_KEYS_MAX = 500;
/** Keys of such a set together, bytes of UTF-8: what a row of the index may take. */
export const LINK_KEYS_MAX_BYTES = 64 * 1024;
/** Share links of one page of a list: with the longest sets some 7 MB. */
export const LINKS_PER_PAGE_MAX = 100;
/** Entries of the history of one link: how it was made, and the newest. */
export const LINK_HISTORY_MAX = 200;
/** Days of statistics of one link that are stored; of older ones the sums stay. */
export const LINK_STATISTICS_DAYS = 400;
/** Referrer hosts, and countries, that are counted by name for each link and day. */
export const LINK_TOP_MAX = 50;
/** Longest name of a referrer's host that is counted, characters. Source: RFC 1035 section 2.3.4 */
export const REFERRER_HOST_MAX_LENGTH = 253;

/** Title of a link's page, and name of a label, characters. */
export const LINK_TITLE_MAX_LENGTH = 200;
/** Text of a link's page in Markdown, characters. */
export const LINK_TEXT_MAX_LENGTH = 5000;
/** The owner's own note of a link, which no page shows, characters. */
export const LINK_NOTE_MAX_LENGTH = 500;
/** File name that a link gives its object, bytes of UTF-8, as file systems take it. */
export const LINK_FILE_NAME_MAX_BYTES = 255;
/** Largest logo that a page shows, bytes. */
export const LINK_LOGO_MAX_BYTES = MiB;

/** Password of a link, characters. */
export const LINK_PASSWORD_MIN_LENGTH = 4;
/** Password of a link, characters; a longer one costs a stranger's server time. */
export const LINK_PASSWORD_MAX_LENGTH = 128;
/** Bytes of a form that brings a password: a field of any script, percent-encoded. */
export const LINK_FORM_MAX_BYTES = 64 * 1024;
/** Bytes of a form that picks files of a folder. */
export const LINK_PICK_FORM_MAX_BYTES = MiB;
/** Wrong passwords from one source for one link, before the source must wait. */
export const LINK_PASSWORD_TRIES = 10;
/** Passwords that one process checks at once: each takes 16 MiB and 0.2 s of a core. */
export const LINK_PASSWORD_CHECKS_AT_ONCE = 2;
/** Passwords that wait for their check, of all links, which take turns; more are refused. */
export const LINK_PASSWORD_CHECKS_WAITING = 32;
/** Passwords of one link that wait: a quarter. */
export const LINK_PASSWORD_CHECKS_OF_LINK = 8;
/** Passwords of all links of one account that wait: never all. */
export const LINK_PASSWORD_CHECKS_OF_ACCOUNT = 24;
/** Sources whose wait a process remembers, so that it asks the directory no more. */
export const LINK_PASSWORD_WAITS_REMEMBERED = 10_000;
/** Passwords known to be right that a process remembers, for clients that send them each time. */
export const LINK_PASSWORDS_REMEMBERED = 1000;
/** Longest life of an access ticket, milliseconds. */
export const LINK_TICKET_MS = 12 * HOUR_MS;
/** Longest access ticket as it is sent, characters. */
export const LINK_TICKET_MAX_LENGTH = 200;

/** Addresses and ranges that a link may be limited to. */
export const LINK_ADDRESSES_MAX = 100;
/** Countries that a link may be limited to: all there are. Source: ISO 3166-1 */
export const LINK_COUNTRIES_MAX = 250;

/** Most downloads a limit may allow. */
export const LINK_DOWNLOADS_MAX = 1_000_000_000;
/** Most downloads of one link that run at once and are counted exactly. */
export const LINK_RUNNING_MAX = 1000;
/** Responses of one limited link that one source has at once from one process: a tenth. */
export const LINK_RUNNING_PER_SOURCE = 100;
/** Responses of all limited links that one process sends at once. */
export const LINK_RUNNING_IN_PROCESS = 10_000;
/** Disjoint byte ranges that are remembered of one download; more are refused. */
export const LINK_RANGES_MAX = 1000;
/**
 * How long a permit lives without news of its download, milliseconds. Its process
 * reports more often; one that died holds its place so long.
 */
export const LINK_PERMIT_MS = 2 * MINUTE_MS;
/** How often a process reports a running download, milliseconds. */
export const LINK_PERMIT_RENEW_MS = 30_000;
/** How long a broken-off download may be continued and counts as the same one, milliseconds. */
export const LINK_RESUME_MS = DAY_MS;
/** Share of a limit, percent, at which its owner hears that it is near. */
export const LINK_NEAR_PERCENT = 80;

/** Ids that nobody has, from one source in a minute, before the directory is not asked any more. */
export const UNKNOWN_LINKS_PER_MINUTE = 30;
/** Links that one process looks up in the directory at once; more have to come again. */
export const LINK_LOOKUPS_AT_ONCE = 64;
/** Files of one page of a folder. */
export const LINK_PAGE_FILES = 200;
/** The beginning of a text file that a link's page shows, bytes: some 300 lines. */
export const LINK_EXCERPT_BYTES = 16 * 1024;
/** Search text on a link's page, characters. */
export const LINK_SEARCH_MAX_LENGTH = 200;
/**
 * ZIPs of one link that one source may ask for in a minute, HEAD or GET: each lists
 * all objects that are to be in it.
 */
export const LINK_ZIPS_PER_MINUTE = 30;
/** Searches of one link by one source in a minute: each looks at thousands of keys. */
export const LINK_SEARCHES_PER_MINUTE = 30;
/** Objects picked for one ZIP of a link. */
export const LINK_PICKS_MAX = 1000;

/** Files of one drop link where its owner names no number. */
export const DROP_FILES_DEFAULT = 10_000;
/** Most files that an owner may let one drop link take. */
export const DROP_FILES_MAX = 1_000_000;
/** Senders of one drop link. */
export const DROP_SENDERS_MAX = 10_000;
/** Senders that one source may become in a day at one drop link. */
export const DROP_SENDERS_PER_SOURCE = 20;
/** The window of that count, milliseconds. */
export const DROP_SOURCE_WINDOW_MS = DAY_MS;
/**
 * How long a sender without any file is known, milliseconds: his code is good until
 * then, and as long as he has one.
 */
export const DROP_EMPTY_SENDER_LIFE_MS = 7 * DAY_MS;
/** How long he is known at least where the link has no room for others, milliseconds. */
export const DROP_EMPTY_SENDER_LEAST_MS = HOUR_MS;
/** Unfinished files of one sender. */
export const DROP_OPEN_FILES_MAX = 1000;
/**
 * Files that one sender may have begun and not ended in the window below. A script
 * sends few at once, so only who gives up many comes near.
 */
export const DROP_BEGUN_PER_SENDER = 200;
/** Files that all senders of one source may have begun so at one drop link. */
export const DROP_BEGUN_PER_SOURCE = 400;
/**
 * Bodies from one source to one drop link of which nothing stays, in the window below:
 * each was written and removed again.
 */
export const DROP_WASTED_PER_SOURCE = 200;
/** The window of these counts, milliseconds. */
export const DROP_BEGUN_WINDOW_MS = HOUR_MS;
/** How long an unfinished file is stored, milliseconds: over a long weekend. */
export const DROP_FILE_LIFE_MS = 7 * DAY_MS;
/**
 * How long a file is expected of which no byte has come, milliseconds: what is only
 * announced takes its place in the link's limits no longer.
 */
export const DROP_ANNOUNCED_LIFE_MS = 2 * HOUR_MS;
/** Unfinished files that one call removes at most: some 20 ms. */
export const DROP_GIVEN_UP_AT_ONCE = 500;
/** Pieces of them that one call removes, with those of one file more: each is a blob. */
export const DROP_PIECES_GIVEN_UP_AT_ONCE = 1000;
/** Rows of a link that is deleted which one call removes at most: some 10 ms. */
export const DROP_ROWS_REMOVED_AT_ONCE = 2000;
/**
 * Unfinished files whose time is over that are left out when a link is read; what is
 * beyond them counts until it is removed.
 */
export const DROP_EXPIRED_LEFT_OUT = 1000;
/** Least bytes of a piece that is not the last of its file. */
export const DROP_PIECE_MIN_BYTES = 64 * KiB;
/** Most bytes of a piece of a file of usual size: what a broken connection may cost. */
export const DROP_PIECE_BYTES = 16 * MiB;
/** Pieces that a file is divided into at most; parts of an upload are 10,000. */
export const DROP_PIECES_MAX = 9000;
/** Longest path of a file below the link, bytes of UTF-8. */
export const DROP_PATH_MAX_BYTES = 512;
/** Longest name of a file or a folder, bytes of UTF-8, as file systems take it. */
export const DROP_NAME_MAX_BYTES = 255;
/** Folders that a path may have. */
export const DROP_DEPTH_MAX = 20;
/** Longest template of keys, characters. */
export const DROP_TEMPLATE_MAX_LENGTH = 200;
/** Longest prefix of keys, bytes of UTF-8. */
export const DROP_PREFIX_MAX_BYTES = 256;
/** Media types that a drop link may be limited to. */
export const DROP_TYPES_MAX = 50;
/** What a sender says of himself, characters; `mail`: RFC 5321 section 4.5.3.1 */
export const DROP_FIELD_MAX_LENGTHS = { name: 100, mail: 254, note: 2000 } as const;
/** Letters of a sender's code, 5 bits each. */
export const DROP_CODE_LENGTH = 16;
/** A code as somebody types it, with dashes and spaces, characters. */
export const DROP_CODE_TYPED_MAX_LENGTH = 40;
/** Wrong codes from one source in the window below, before it must wait. */
export const DROP_CODE_TRIES = 10;
/** The window of that count, milliseconds. */
export const DROP_CODE_WAIT_MS = 10 * MINUTE_MS;
/** Files that one source sends at once to one process. */
export const DROP_BODIES_PER_SOURCE = 16;
/** Files that all sources send at once to one process; one link never has more than half. */
export const DROP_BODIES_MAX = 256;
/** Files that all links of one account take at once in one process. */
export const DROP_BODIES_PER_ACCOUNT = 192;
/** A body of which nothing comes for so long gives its place to others, milliseconds. */
export const DROP_BODY_IDLE_MS = 2 * MINUTE_MS;
/** How often a running upload looks whether its link still takes files, milliseconds. */
export const DROP_WATCH_MS = 3000;
/** Longest Upload-Metadata, characters. */
export const DROP_METADATA_MAX_LENGTH = 4096;
/** Numbers that are tried where a name is taken; then it gets random letters. */
export const DROP_NUMBERS_MAX = 20;
/** Files of one form without a script. */
export const DROP_FORM_FILES_MAX = 100;
