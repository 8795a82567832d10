// Reads the page of the metrics as strictly as Prometheus does. Nothing of src is used.
// Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format

const SAMPLE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\+Inf|-Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]\d+)?)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const TYPE = /^# TYPE (\S+) (counter|gauge|histogram)$/;

export type MetricsPage = {
  /** Names of families in their order. */
  readonly families: readonly string[];
  /** Sum of the samples of that name that have all these labels; 0 when there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number;
  /** Every value that a label of that name has anywhere. */
  labelValues(label: string): ReadonlySet<string>;
};

type Sample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

/**
 * Throws on a line that is none, a sample outside of its family, and a family or a sample that
 * comes twice.
 */
export function parseMetricsPage(text: string): MetricsPage {
  if (!text.endsWith('\n')) throw new Error('the page does not end with a line end');
  const families: string[] = [];
  const samples: Sample[] = [];
  const seen = new Set<string>();
  let family = '';
  for (const line of text.slice(0, -1).split('\n')) {
    if (line.startsWith('# HELP ')) continue;
    const type = TYPE.exec(line);
    if (type !== null) {
      family = type[1] ?? '';
      if (families.includes(family)) throw new Error(`${family} comes twice`);
      families.push(family);
      continue;
    }
    const [, name = '', labels = '', number = ''] = SAMPLE.exec(line) ?? [];
    if (!new RegExp(`^${family}(_bucket|_sum|_count)?$`).test(name))
      throw new Error(`what is this: ${line}`);
    const sample = {
      name,
      labels: parseLabels(labels),
      value: number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number),
    };
    const identity = `${name}{${labels}}`;
    if (seen.has(identity)) throw new Error(`${identity} comes twice`);
    seen.add(identity);
    samples.push(sample);
  }
  return {
    families,
    value: (name, labels = {}) =>
      samples
        .filter(
          (sample) =>
            sample.name === name &&
            Object.entries(labels).every(([label, of]) => sample.labels[label] === of),
        )
        .reduce((sum, { value }) => sum + value, 0),
    labelValues: (label) => new Set(samples.flatMap(({ labels }) => labels[label] ?? [])),
  };
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  let end = 0;
  for (let found = LABEL.exec(text); found !== null; found = LABEL.exec(text)) {
    const [, name = '', value = ''] = found;
    labels[name] = value.replace(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign));
    end = LABEL.lastIndex;
    if (end === text.length) break;
  }
  if (end !== text.length) throw new Error(`what labels are these: ${text}`);
  return labels;
}
