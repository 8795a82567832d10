// Lays out parts of a whole as rectangles whose areas are their shares, as near to
// squares as their order allows. Source: Bruls, Huizing, van Wijk, "Squarified
// Treemaps", 2000.

export type Box = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** Boxes of the values, which are positive and fall, in that order. */
export function layOut(values: readonly number[], whole: Box): readonly Box[] {
  const sum = values.reduce((total, value) => total + value, 0);
  if (sum <= 0) return [];
  const scale = (whole.width * whole.height) / sum;
  const areas = values.map((value) => value * scale);
  const boxes: Box[] = [];
  let rest = whole;
  for (let first = 0; first < areas.length; ) {
    const end = endOfRow(areas, first, Math.min(rest.width, rest.height));
    const row = areas.slice(first, end);
    boxes.push(...rowOf(row, rest));
    rest = restOf(row, rest);
    first = end;
  }
  return boxes;
}

/** Where the row ends that begins there: before the one that would make it longer. */
function endOfRow(areas: readonly number[], first: number, side: number): number {
  let sum = 0;
  let worst = Number.POSITIVE_INFINITY;
  const largest = areas[first] ?? 0;
  for (let at = first; at < areas.length; at++) {
    const area = areas[at] ?? 0;
    const next = worstRatio(sum + area, largest, area, side);
    if (next > worst) return at;
    sum += area;
    worst = next;
  }
  return areas.length;
}

/** The longest of the boxes of a row: how many times longer than wide. */
function worstRatio(sum: number, largest: number, smallest: number, side: number): number {
  const square = sum * sum;
  return Math.max((side * side * largest) / square, square / (side * side * smallest));
}

/** The row's boxes, along the shorter side of what is left. */
function rowOf(areas: readonly number[], rest: Box): readonly Box[] {
  const sum = areas.reduce((total, area) => total + area, 0);
  const isUpright = rest.width >= rest.height;
  const depth = sum / (isUpright ? rest.height : rest.width);
  let along = isUpright ? rest.y : rest.x;
  return areas.map((area) => {
    const length = area / depth;
    const box = isUpright
      ? { x: rest.x, y: along, width: depth, height: length }
      : { x: along, y: rest.y, width: length, height: depth };
    along += length;
    return box;
  });
}

function restOf(areas: readonly number[], rest: Box): Box {
  const sum = areas.reduce((total, area) => total + area, 0);
  const { x, y, width, height } = rest;
  if (width >= height) {
    const depth = sum / height;
    return { x: x + depth, y, width: width - depth, height };
  }
  const depth = sum / width;
  return { x, y: y + depth, width, height: height - depth };
}
