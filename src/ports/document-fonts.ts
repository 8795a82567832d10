/**
 * Fonts for documents with letters that the standard fonts of PDF lack. They are
 * looked up when a document needs them, so that a server that prints none loads
 * none.
 */
export type DocumentFonts = {
  /**
   * Subsets that together have every one of these letters; each letter is in one of
   * them. Null: a letter is in no font that is installed, or needs shaping. Up to
   * 16 ms of CPU for each subset.
   */
  subset(letters: ReadonlySet<string>, weight: FontWeight): Promise<FontSubsets | null>;
};

export type FontWeight = 'regular' | 'bold';

export type FontSubsets = {
  /** Parser of the fonts, in the form that the PDF writer expects (fontkit's). */
  readonly parser: FontParser;
  readonly subsets: readonly FontSubset[];
};

export type FontParser = { create(bytes: Uint8Array): object };

/** A TrueType font of a few letters, one glyph for each and no ligatures. */
export type FontSubset = { readonly letters: ReadonlySet<string>; readonly bytes: Uint8Array };
