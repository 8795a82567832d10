// A line as wide as a word: how something went, without numbers.
const WIDTH = 84;
const HEIGHT = 20;
const EDGE = 2;

export function Spark({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(...values, 1);
  const least = Math.min(...values, most);
  const step = WIDTH / Math.max(1, values.length - 1);
  const scale = (HEIGHT - 2 * EDGE) / Math.max(1, most - least);
  const points = values.map((value, at) => {
    return `${(at * step).toFixed(1)} ${(HEIGHT - EDGE - (value - least) * scale).toFixed(1)}`;
  });
  return (
    <svg class="spark wide" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={`M${points.join('L')}`} />
    </svg>
  );
}
