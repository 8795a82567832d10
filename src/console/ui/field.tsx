// Form fields: label above, hint below; an error takes the hint's place and says
// the remedy.
import { CircleAlert } from 'lucide';
import type { ComponentChildren, Ref } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

type Common = {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | null | undefined;
  /** Small words at the right of the label: `optional`. */
  readonly aside?: string;
};

export type TextFieldProps = Common & {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly onBlur?: () => void;
  readonly type?:
    | 'text'
    | 'password'
    | 'email'
    | 'number'
    | 'url'
    | 'search'
    | 'datetime-local'
    | 'date';
  readonly name?: string;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly readonly?: boolean;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  /** A number is a whole one where nothing is said. */
  readonly step?: 'any';
  readonly autofocus?: boolean;
  readonly mono?: boolean;
  readonly inputRef?: Ref<HTMLInputElement>;
};

/** The label, the control and what stands below them. */
export function Field(
  props: Common & {
    readonly children: (ids: {
      id: string;
      describedBy: string;
      isInvalid: boolean;
    }) => ComponentChildren;
  },
) {
  const id = useId();
  const { label, hint, error = null, aside } = props;
  const hasError = error !== null && error !== '';
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
        {aside !== undefined && <span class="faint">{aside}</span>}
      </label>
      {props.children({ id, describedBy: `${id}-below`, isInvalid: hasError })}
      <div id={`${id}-below`} class={hasError ? 'field-error' : 'hint'} aria-live="polite">
        {hasError && <Icon of={CircleAlert} small />}
        <span>{hasError ? error : hint}</span>
      </div>
    </div>
  );
}

export function TextField(props: TextFieldProps) {
  const { value, onInput, onBlur, type = 'text', mono = false, inputRef, ...rest } = props;
  const { label, hint, error, aside, ...attributes } = rest;
  const own = useRef<HTMLInputElement>(null);
  // Browsers heed the attribute when a page or a dialog opens, not when a view does.
  useLayoutEffect(() => {
    if (attributes.autofocus === true) own.current?.focus();
  }, []);
  return (
    <Field label={label} hint={hint} error={error} {...(aside === undefined ? {} : { aside })}>
      {({ id, describedBy, isInvalid }) => (
        <input
          {...attributes}
          ref={inputRef ?? own}
          id={id}
          class={mono ? 'input mono' : 'input'}
          type={type as 'text'}
          value={value}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          spellcheck={false}
          autocapitalize="off"
          onInput={(event) => onInput(event.currentTarget.value)}
          onBlur={onBlur}
        />
      )}
    </Field>
  );
}

type SelectProps<Value extends string> = Common & {
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
  readonly disabled?: boolean;
};

export function SelectField<Value extends string>(props: SelectProps<Value>) {
  const { value, options, onChange, disabled = false, label, hint, error } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      {({ id, describedBy }) => (
        <select
          id={id}
          class="input"
          value={value}
          disabled={disabled}
          aria-describedby={describedBy}
          onChange={(event) => onChange(event.currentTarget.value as Value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type CheckProps = {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
};

/** A box with its words beside it. */
export function CheckField({ label, hint, checked, onChange, disabled = false }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        {label}
        {hint !== undefined && <span class="hint">{hint}</span>}
      </span>
    </label>
  );
}

type RadioProps<Value extends string> = {
  readonly legend: string;
  readonly name: string;
  readonly value: Value;
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    readonly hint?: ComponentChildren;
  }[];
  readonly onChange: (value: Value) => void;
};

/** A choice of a few, each with its consequence. */
export function RadioField<Value extends string>(props: RadioProps<Value>) {
  const { legend, name, value, options, onChange } = props;
  return (
    <fieldset class="radios">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value} class="check">
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>
            {option.label}
            {option.hint !== undefined && <span class="hint">{option.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

type SwitchProps = {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
};

/** A switch, which saves at once. */
export function Switch({ label, checked, onChange, disabled = false }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      class={checked ? 'switch is-selected' : 'switch'}
      aria-checked={checked}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChange(!checked)}
    />
  );
}
