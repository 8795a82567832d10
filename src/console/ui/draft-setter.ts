// Changes of a form's draft, one field at a time: what a field calls with its new value.

/** Gives, for the name of a field, what changes that field of the draft. */
export const setterOf =
  <Draft>({
    draft,
    onChange,
  }: {
    readonly draft: Draft;
    readonly onChange: (draft: Draft) => void;
  }) =>
  <Name extends keyof Draft>(name: Name) =>
  (value: Draft[Name]) =>
    onChange({ ...draft, [name]: value });
