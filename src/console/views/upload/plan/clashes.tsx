// Names that are taken: what becomes of them, for all at once or one by one, with
// size and date of both.
import { useMemo } from 'preact/hooks';
import { count } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { RadioField } from '../../../ui/field.tsx';
import { Bytes, Name, Time } from '../../../ui/small.tsx';
import { type Choice, type Clash, outcome } from './plan.ts';

export type Decisions = { readonly all: Choice; readonly own: ReadonlyMap<string, Choice> };

/** Nothing is lost by default. */
export const NO_DECISIONS: Decisions = { all: 'skip', own: new Map() };

const CHOICES: readonly Choice[] = ['skip', 'replace', 'newer', 'both'];
/** Clashes that are shown one by one; more follow the choice for all. */
const SHOWN_MAX = 100;

export const decide = ({ all, own }: Decisions, { key }: Clash): Choice => own.get(key) ?? all;

type ClashesProps = {
  readonly clashes: readonly Clash[];
  readonly decisions: Decisions;
  readonly onChange: (decisions: Decisions) => void;
};

export function Clashes({ clashes, decisions, onChange }: ClashesProps) {
  const texts = t().upload;
  const newer = useMemo(
    () => clashes.filter((clash) => outcome('newer', clash) === 'replace').length,
    [clashes],
  );
  return (
    <>
      <RadioField
        legend={texts.taken(clashes.length)}
        name="clash"
        value={decisions.all}
        options={CHOICES.map((value) => ({
          value,
          label: texts.choices[value],
          hint: value === 'newer' ? texts.newerHint(newer) : texts.choiceHints[value],
        }))}
        onChange={(all) => onChange({ all, own: new Map() })}
      />
      <ul class="clashes">
        {clashes.slice(0, SHOWN_MAX).map((clash) => (
          <ClashRow
            key={clash.key}
            clash={clash}
            choice={decide(decisions, clash)}
            onChange={(choice) => {
              onChange({ ...decisions, own: new Map(decisions.own).set(clash.key, choice) });
            }}
          />
        ))}
        {clashes.length > SHOWN_MAX && (
          <li class="hint">{texts.moreClashes(count(clashes.length - SHOWN_MAX))}</li>
        )}
      </ul>
    </>
  );
}

type RowProps = {
  readonly clash: Clash;
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
};

function ClashRow({ clash, choice, onChange }: RowProps) {
  const texts = t().upload;
  const { file, existing } = clash;
  return (
    <li>
      <Name text={file.path} />
      <span class="dim">
        {texts.here} <Bytes value={file.file.size} />, <Time at={file.file.lastModified} />
        {' · '}
        {texts.there} <Bytes value={existing.sizeBytes} />, <Time at={existing.modifiedAt} />
      </span>
      <select
        class="input"
        aria-label={texts.choiceFor(file.path)}
        value={choice}
        onChange={(event) => onChange(event.currentTarget.value as Choice)}
      >
        {CHOICES.map((value) => (
          <option key={value} value={value}>
            {texts.choices[value]}
          </option>
        ))}
      </select>
    </li>
  );
}
