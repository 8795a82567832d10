// The parts of node:crypto and node:zlib that Quayside uses. Node has both modules;
// workerd has them with nodejs_compat. The neutral and the workers type check know
// the two modules by this file alone, so nothing else of Node can slip in.

declare module 'node:crypto' {
  export type BinaryLike = string | Uint8Array;
  export type Hash = {
    update(data: BinaryLike): Hash;
    copy(): Hash;
    digest(): Uint8Array;
    digest(encoding: 'hex' | 'base64' | 'base64url'): string;
  };
  export type Hmac = {
    update(data: BinaryLike): Hmac;
    digest(): Uint8Array;
    digest(encoding: 'hex' | 'base64' | 'base64url'): string;
  };
  export type Cipher = {
    setAAD(data: Uint8Array): Cipher;
    update(data: Uint8Array): Uint8Array;
    final(): Uint8Array;
    getAuthTag(): Uint8Array;
  };
  export type Decipher = {
    setAAD(data: Uint8Array): Decipher;
    setAuthTag(tag: Uint8Array): Decipher;
    update(data: Uint8Array): Uint8Array;
    final(): Uint8Array;
  };
  export function createCipheriv(
    algorithm: 'aes-256-gcm',
    key: Uint8Array,
    nonce: Uint8Array,
  ): Cipher;
  export function createDecipheriv(
    algorithm: 'aes-256-gcm',
    key: Uint8Array,
    nonce: Uint8Array,
  ): Decipher;
  export function hkdfSync(
    digest: 'sha256',
    key: Uint8Array,
    salt: Uint8Array,
    info: string,
    lengthBytes: number,
  ): ArrayBuffer;
  export function createHash(algorithm: 'md5' | 'sha1' | 'sha256'): Hash;
  export function createHmac(algorithm: 'sha1' | 'sha256', key: BinaryLike): Hmac;
  export function hash(
    algorithm: 'md5' | 'sha1' | 'sha256',
    data: BinaryLike,
    encoding?: 'hex' | 'base64',
  ): string;
  export function scrypt(
    password: string,
    salt: Uint8Array,
    keyBytes: number,
    options: {
      readonly N: number;
      readonly r: number;
      readonly p: number;
      readonly maxmem: number;
    },
    done: (error: Error | null, key: Uint8Array) => void,
  ): void;
  export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean;
  export function randomBytes(size: number): Uint8Array;
}

declare module 'node:zlib' {
  export function crc32(data: Uint8Array | string, value?: number): number;
  export const constants: {
    readonly BROTLI_PARAM_QUALITY: number;
    readonly BROTLI_PARAM_SIZE_HINT: number;
    readonly ZSTD_c_compressionLevel: number;
    readonly ZSTD_c_checksumFlag: number;
  };
  type Done = (error: Error | null, result: Uint8Array) => void;
  type Params = { readonly params: Readonly<Record<number, number>> };
  export function brotliCompress(data: Uint8Array, options: Params, done: Done): void;
  export function zstdCompress(data: Uint8Array, options: Params, done: Done): void;
  export function createZstdCompress(
    options: Params & { readonly chunkSize: number; readonly pledgedSrcSize: number },
  ): {
    on(event: 'data', take: (piece: Uint8Array) => void): void;
    on(event: 'error', take: (error: Error) => void): void;
    on(event: 'end', take: () => void): void;
    end(data: Uint8Array): void;
  };
  export function zstdDecompress(
    data: Uint8Array,
    options: { readonly maxOutputLength: number; readonly chunkSize: number },
    done: Done,
  ): void;
  export function gzip(data: Uint8Array, options: { readonly level: number }, done: Done): void;
}
