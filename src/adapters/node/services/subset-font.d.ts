// The part of subset-font that is used; the package brings no types.
declare module 'subset-font' {
  type Options = {
    readonly targetFormat: 'truetype';
    readonly variationAxes: Readonly<Record<string, number>>;
    /** Tags of tables that are left out. */
    readonly dropTables: readonly string[];
    readonly noHinting: boolean;
  };
  export default function subsetFont(
    font: Uint8Array,
    text: string,
    options: Options,
  ): Promise<Uint8Array>;
}
