// What a page shows of a share link, as plain data without a language: made by
// describe-share.ts, rendered by the page. No field needs another request to be
// shown. Every address begins with `/` and carries the access ticket where it needs
// one; none has a host.
import type { ShareMode, ShareState } from '../../../domain/links/share-links.ts';

export type ShareView = {
  /** Everything below but `link`, `page` and `times` is empty unless it is `open`. */
  readonly state: ShareState;
  /** HTTP status of the page. */
  readonly status: number;
  readonly link: {
    /** The address of the link itself, `/-/s/{name}`, without a ticket. */
    readonly path: string;
    /** The whole address, for copying, the QR code and Open Graph. */
    readonly url: string;
    /** The access ticket of this visitor; null: none is needed. A form sends it as `t`. */
    readonly ticket: string | null;
    /** The name of the recipient whose copy it is; null: nobody's. */
    readonly label: string | null;
  };
  readonly page: {
    /** The owner's title; null: use the name of file or folder. Empty before a password. */
    readonly title: string | null;
    /** Markdown of the owner; null: none. */
    readonly text: string | null;
    /** Address of the logo; null: none. */
    readonly logo: string | null;
    /** `#rrggbb`, checked; null: the service's own. */
    readonly colour: string | null;
    readonly mode: ShareMode;
  };
  readonly times: {
    /** ISO 8601 in UTC; null: it does not end. */
    readonly expiresAt: string | null;
    /** ISO 8601 in UTC; null: it has begun. */
    readonly beginsAt: string | null;
  };
  /** What is left of limits when the page was made; null: there is no such limit. */
  readonly left: { readonly downloads: number | null; readonly bytes: number | null };
  /** In state `password` alone: how the last try went. */
  readonly password: {
    readonly wasWrong: boolean;
    /** Seconds until another try is taken; null: now. */
    readonly waitSeconds: number | null;
  } | null;
  readonly content: ShareContent | null;
};

export type ShareContent =
  | {
      readonly kind: 'file';
      readonly file: ShareFile;
      /** The beginning of a text that costs nothing to show; null: none is shown. */
      readonly excerpt: ShareExcerpt | null;
    }
  | ShareFolder;

/** The beginning of a text file. */
export type ShareExcerpt = { readonly text: string; readonly isCut: boolean };

/** A page of the folder of a link, or of its set of keys. */
export type ShareFolder = {
  readonly kind: 'folder';
  /** The folder's own name; '' where it is the whole bucket or a set without one. */
  readonly name: string;
  /** The way from the link to this folder, the link itself first. */
  readonly crumbs: readonly { readonly name: string; readonly href: string }[];
  readonly folders: readonly SharedFolder[];
  readonly files: readonly ShareFile[];
  /** What was searched for below this folder; null: nothing. `files` are then the hits. */
  readonly search: string | null;
  /** Whether there may be hits that are not shown: it looks at so many keys, and shows so many. */
  readonly isSearchCut: boolean;
  /** The form of the search sends `q` here by GET, with `t` where there is a ticket. */
  readonly searchHref: string;
  /** The next page; null: this is the last. */
  readonly nextHref: string | null;
  /** Whether this is a later page than the first. */
  readonly isContinued: boolean;
  /** The ZIP of the folder; null where none may be taken, or it would be too large. */
  readonly zipHref: string | null;
  /** Why no ZIP is made of what was asked for; null: one may be. */
  readonly zipRefusal: ZipRefusal | null;
  /**
   * A form sends `pick` for each chosen file (its `pick`) or folder here by POST and
   * gets the ZIP of these; null where none may be taken.
   */
  readonly pickHref: string | null;
  /** Most that one form may pick. */
  readonly picksMax: number;
};

/** More files than one ZIP may have, or (`refused`) whatever kept one from being made. */
export type ZipRefusal = { readonly files: number; readonly filesMax: number } | 'refused';

export type SharedFolder = {
  readonly name: string;
  readonly href: string;
  /** The value of `pick` that names it: its path below the link, with its slash. */
  readonly pick: string;
};

export type ShareFile = {
  readonly name: string;
  /** The value of `pick` that names it: its path below the link. */
  readonly pick: string;
  readonly sizeBytes: number;
  /** ISO 8601 in UTC. */
  readonly modifiedAt: string;
  /** Null: nobody said. */
  readonly contentType: string | null;
  /**
   * Downloads it, as an attachment; null: the link only lets it be viewed. No `<a>` to it has
   * `download`: browsers would throw away the page that says why it is refused.
   */
  readonly downloadHref: string | null;
  /** Shows it in place; null: the link lets nobody, or browsers can't. */
  readonly preview: SharePreview | null;
};

export type SharePreview = {
  readonly kind: 'image' | 'video' | 'audio' | 'pdf' | 'text';
  readonly href: string;
  /** Whether showing it counts against a limit: then the page waits for a click. */
  readonly counts: boolean;
};

/** Renders the page of a link. Its second argument is the language of its texts. */
export type RenderSharePage<Language> = (view: ShareView, language: Language) => string;
