// Error correction of QR codes: Reed and Solomon's code over the field of 256
// elements with the polynomial x^8 + x^4 + x^3 + x^2 + 1. Pure. Source: ISO/IEC
// 18004:2015, 7.5 and annex A

/** x^8 + x^4 + x^3 + x^2 + 1 */
const POLYNOMIAL = 0x11d;

/** Product of two elements of the field, by shifting and adding. */
function multiply(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * POLYNOMIAL);
    product ^= ((other >>> bit) & 1) * one;
  }
  return product & 0xff;
}

/** Coefficients of the generator of a degree, the highest left out since it is 1. */
function generatorOf(degree: number): Uint8Array {
  const generator = new Uint8Array(degree);
  generator[degree - 1] = 1;
  let root = 1;
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++) {
      generator[j] = multiply(generator[j] ?? 0, root) ^ (generator[j + 1] ?? 0);
    }
    root = multiply(root, 2);
  }
  return generator;
}

/** Makes the function that gives each block its bytes of correction, `count` of them. */
export function createCorrection(count: number): (block: Uint8Array) => Uint8Array {
  const generator = generatorOf(count);
  return (block) => {
    const remainder = new Uint8Array(count);
    for (const byte of block) {
      const factor = byte ^ (remainder[0] ?? 0);
      remainder.copyWithin(0, 1);
      remainder[count - 1] = 0;
      for (let i = 0; i < count; i++) {
        remainder[i] = (remainder[i] ?? 0) ^ multiply(generator[i] ?? 0, factor);
      }
    }
    return remainder;
  };
}
