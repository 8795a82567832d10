// Whether the name of a file says that its content never changes: build tools put a hash of the content in it. A word or
// a date can look like a hash, and a wrong answer sticks in browsers for a year: in doubt it is none.

/** `app.3f2a91bc.js`, `main-3f2a91bc01d2.css`: hexadecimal, as webpack, Parcel and Next.js write it. */
const HEX = /[.\-_]([0-9a-f]{8,64})\.[A-Za-z0-9]{1,10}(?:\.map)?$/;
/** `index-DiwrgT4a.js`: eight characters of Base64 for URLs, as Vite and Rollup write it. */
const BASE64 = /[.-]([\w-]{8})\.([A-Za-z0-9]{1,10})(?:\.map)?$/;
/** `main-7VXQZK3M.js`: eight of Base32, as esbuild and Angular write it. */
const BASE32 = /^(?=.*[2-7])[A-Z2-7]{8}$/;
/** Files that only build tools name with eight odd characters. */
const IS_CODE = /^(?:m?js|css)$/;
/** Changes between capitals, small letters, digits and the rest in it: `DiwrgT4a` has 4, `Version2` has 2. */
const CHANGES_MIN = 4;
const CHANGES_MIN_OF_CODE = 3;

/** Whether the last part of the key has a hash before its extension. */
export function hasHashedName(key: string): boolean {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const hex = HEX.exec(name)?.[1];
  if (hex !== undefined && /\d/.test(hex) && /[a-f]/.test(hex)) return true;
  const [, text = '', extension = ''] = BASE64.exec(name) ?? [];
  const isCode = IS_CODE.test(extension);
  return (isCode && BASE32.test(text)) || changesIn(text) >= (isCode ? CHANGES_MIN_OF_CODE : CHANGES_MIN);
}

function changesIn(text: string): number {
  const runs = text.match(/[A-Z]+|[a-z]+|\d+|[_-]+/g) ?? [''];
  return runs.length - 1;
}
