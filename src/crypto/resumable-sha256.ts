// SHA-256 that can stop and go on in another process: its state is a text. For files
// that come in pieces over days; whatever comes at once is digested by node:crypto,
// which is some times faster and gives no state away. Source: FIPS 180-4.

/** A running digest whose state can be stored between two updates. */
export type ResumableSha256 = {
  update(bytes: Uint8Array): void;
  /** Everything that is needed to go on, hex. */
  state(): string;
  /** The digest of all bytes so far, hex; more may follow. */
  hex(): string;
};

const BLOCK_BYTES = 64;
/** Hex digits of the state: eight words, a length of 8 bytes, a block of which some is used. */
const STATE_LENGTH = 2 * (32 + 8 + BLOCK_BYTES);
const STATE = /^[0-9a-f]{208}$/;

/** First 32 bits of the fractional parts of roots of the first primes. */
const [START, ROUNDS] = fractions();

function fractions(): readonly [Int32Array, Int32Array] {
  const start = new Int32Array(8);
  const rounds = new Int32Array(64);
  let found = 0;
  for (let number = 2; found < 64; number++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= number; divisor++)
      if (number % divisor === 0) isPrime = false;
    if (!isPrime) continue;
    const bits = (root: number) => ((root - Math.floor(root)) * 2 ** 32) | 0;
    if (found < 8) start[found] = bits(Math.sqrt(number));
    rounds[found] = bits(Math.cbrt(number));
    found += 1;
  }
  return [start, rounds];
}

/** Begins anew, or goes on from a state. RangeError for a text that is no state. */
export function createResumableSha256(from: string | null = null): ResumableSha256 {
  const words = START.slice();
  const block = new Uint8Array(BLOCK_BYTES);
  let lengthBytes = 0;
  if (from !== null) {
    if (from.length !== STATE_LENGTH || !STATE.test(from)) throw new RangeError('no SHA-256 state');
    const bytes = Uint8Array.fromHex(from);
    const view = new DataView(bytes.buffer);
    for (let index = 0; index < 8; index++) words[index] = view.getInt32(4 * index);
    lengthBytes = Number(view.getBigUint64(32));
    block.set(bytes.subarray(40));
  }
  const schedule = new Int32Array(64);

  return {
    update(bytes) {
      let at = 0;
      const used = lengthBytes % BLOCK_BYTES;
      lengthBytes += bytes.length;
      if (used > 0) {
        const taken = Math.min(BLOCK_BYTES - used, bytes.length);
        block.set(bytes.subarray(0, taken), used);
        at = taken;
        if (used + taken < BLOCK_BYTES) return;
        compress(words, schedule, block, 0);
      }
      for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES)
        compress(words, schedule, bytes, at);
      block.set(bytes.subarray(at));
    },

    state() {
      const bytes = new Uint8Array(STATE_LENGTH / 2);
      const view = new DataView(bytes.buffer);
      for (const [index, word] of words.entries()) view.setInt32(4 * index, word);
      view.setBigUint64(32, BigInt(lengthBytes));
      bytes.set(block.subarray(0, lengthBytes % BLOCK_BYTES), 40);
      return bytes.toHex();
    },

    hex() {
      const last = words.slice();
      const used = lengthBytes % BLOCK_BYTES;
      const tail = new Uint8Array(used < 56 ? BLOCK_BYTES : 2 * BLOCK_BYTES);
      tail.set(block.subarray(0, used));
      tail[used] = 0x80;
      new DataView(tail.buffer).setBigUint64(tail.length - 8, BigInt(lengthBytes) * 8n);
      for (let at = 0; at < tail.length; at += BLOCK_BYTES) compress(last, schedule, tail, at);
      const digest = new DataView(new ArrayBuffer(32));
      for (const [index, word] of last.entries()) digest.setInt32(4 * index, word);
      return new Uint8Array(digest.buffer).toHex();
    },
  };
}

/** Indexes here never pass the end. */
function of(array: Int32Array | Uint8Array, index: number): number {
  return array[index] as number;
}

/** One block into the words; `w` is the message schedule, used again each time. */
function compress(words: Int32Array, w: Int32Array, bytes: Uint8Array, at: number): void {
  for (let t = 0, i = at; t < 16; t++, i += 4) {
    w[t] =
      (of(bytes, i) << 24) | (of(bytes, i + 1) << 16) | (of(bytes, i + 2) << 8) | of(bytes, i + 3);
  }
  for (let t = 16; t < 64; t++) {
    const x = of(w, t - 15);
    const y = of(w, t - 2);
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[t] = (of(w, t - 16) + s0 + of(w, t - 7) + s1) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = words;
  for (let t = 0; t < 64; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + s1 + ((e & f) ^ (~e & g)) + of(ROUNDS, t) + of(w, t)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries())
    words[index] = (of(words, index) + value) | 0;
}
