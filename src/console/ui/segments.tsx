// Segments: two to four choices of which one holds. ← → choose.
type SegmentsProps<Value extends string> = {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
};

export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { label, value, options, onChange } = props;

  function step(event: KeyboardEvent): void {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const at = options.findIndex((option) => option.value === value) + by;
    const next = options[(at + options.length) % options.length];
    if (next === undefined) return;
    onChange(next.value);
    const group = event.currentTarget as HTMLElement;
    group.querySelectorAll('button')[options.indexOf(next)]?.focus();
  }

  return (
    <div class="segments" role="radiogroup" aria-label={label} onKeyDown={step}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          class="button"
          aria-checked={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
