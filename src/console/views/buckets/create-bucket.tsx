// A new bucket: its name, checked while it is typed, and what it is for.
import { Check, Minus } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import { client, QuaysideError } from '../../api/client.ts';
import { PlainFailure } from '../../api/describe-error.ts';
import { invalidate } from '../../api/query.ts';
import { navigate, objectPath } from '../../app/router.ts';
import { count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import { RadioField, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { PlainWords } from '../../ui/small.tsx';
import { useAct } from '../change/use-act.ts';
import { ALWAYS_SHOWN, isBucketName, NAME_RULES, RULE_NAMES } from './bucket-name.ts';
import {
  applyTemplate,
  BACKUP_OBJECTS_MAX,
  HISTORY_DAYS,
  opens,
  TEMPLATES,
  type Template,
  UPLOAD_DAYS,
} from './templates.ts';

export default function CreateBucket({ onClose }: { readonly onClose: () => void }) {
  const texts = t().buckets.create;
  const [name, setName] = useState('');
  const [template, setTemplate] = useState<Template>('private');
  const act = useAct(onClose);
  const made = useRef<string | null>(null);
  const isValid = isBucketName(name);

  function create(): void {
    if (!isValid) return;
    act.run(async () => {
      // A second try goes on with the bucket of the first.
      if (made.current !== name) await make(name);
      made.current = name;
      invalidate('buckets');
      await applyTemplate(name, template);
      invalidate('buckets');
      invalidate('overview');
      navigate(objectPath(name, ''));
    });
  }

  return (
    <ActDialog
      title={t().shell.newBucket}
      isDirty={name !== ''}
      onClose={onClose}
      onSubmit={create}
      width={560}
      kind={opens(template) ? 'open' : 'primary'}
      act={act}
      off={isValid ? null : texts.nameFirst}
      label={opens(template) ? texts.makePublic : texts.make}
    >
      <div>
        <TextField
          label={t().browse.name}
          value={name}
          onInput={setName}
          maxLength={63}
          mono
          autofocus
          hint={texts.nameHint}
        />
        <Rules name={name} />
      </div>
      <RadioField
        legend={texts.purpose}
        name="template"
        value={template}
        onChange={setTemplate}
        options={TEMPLATES.map((value) => ({
          value,
          label: texts.templates[value].label,
          hint: texts.templates[value].hint,
        }))}
      />
      <PlainWords {...(opens(template) ? { tone: 'open' } : {})}>
        {texts.templates[template].sets({
          history: HISTORY_DAYS,
          uploads: UPLOAD_DAYS,
          objects: count(BACKUP_OBJECTS_MAX),
        })}
      </PlainWords>
    </ActDialog>
  );
}

function Rules({ name }: { readonly name: string }) {
  const texts = t().buckets.create.rules;
  const shown = RULE_NAMES.filter((rule) => ALWAYS_SHOWN.includes(rule) || !NAME_RULES[rule](name));
  return (
    <ul class="name-rules" aria-live="polite">
      {shown.map((rule) => {
        const isKept = name !== '' && NAME_RULES[rule](name);
        const look = name === '' ? 'faint' : isKept ? 'kept' : 'red';
        return (
          <li key={rule} class={look}>
            <Icon of={isKept ? Check : Minus} small label={isKept ? texts.kept : texts.notKept} />
            {texts[rule]}
          </li>
        );
      })}
    </ul>
  );
}

async function make(name: string): Promise<void> {
  try {
    await client.buckets.create({ body: { name } });
  } catch (error) {
    const isTaken = error instanceof QuaysideError && error.code.startsWith('BucketAlready');
    if (isTaken) throw new PlainFailure(t().buckets.create.taken(name));
    throw error;
  }
}
