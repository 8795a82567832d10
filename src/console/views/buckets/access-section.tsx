// Access: who may read, which places were opened, what blocks opening, the policy.
import { Globe, Lock } from 'lucide';
import { client } from '../../api/client.ts';
import { lazy } from '../../app/lazy.tsx';
import { may } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { ReadBy } from '../../ui/small.tsx';
import { makePrivate } from '../access/make-private.ts';
import { openedPrefixes } from '../access/public-prefixes.ts';
import { openMakePublic } from './bucket-actions.tsx';
import { READERS } from './bucket-list.ts';
import { JsonSetting } from './json-setting.tsx';
import { Part, type SectionProps, SettingForm } from './setting-form.tsx';

const Readers = lazy(async () => {
  const { Readers } = await import('../access/readers.tsx');
  return { default: Readers };
});

const SWITCHES = [
  'blockPublicAcls',
  'ignorePublicAcls',
  'blockPublicPolicy',
  'restrictPublicBuckets',
] as const;
const ALL_OFF = {
  blockPublicAcls: false,
  ignorePublicAcls: false,
  blockPublicPolicy: false,
  restrictPublicBuckets: false,
};
const OWNERSHIPS = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const;

export function AccessSection(props: SectionProps) {
  const texts = t().buckets.access;
  return (
    <>
      <PublicPart {...props} />
      <Part title={texts.rights} sentence={texts.rightsHint}>
        <Readers bucket={props.bucket.name} objectKey="" isFolder />
      </Part>
      <SettingForm
        {...props}
        title={texts.block}
        sentence={texts.blockHint}
        read={({ publicAccessBlock }) => publicAccessBlock ?? ALL_OFF}
        change={(block) => ({
          publicAccessBlock: SWITCHES.some((name) => block[name]) ? block : null,
        })}
      >
        {(block, set) =>
          SWITCHES.map((name) => (
            <CheckField
              key={name}
              label={texts.switches[name]}
              hint={<span class="mono">{name}</span>}
              checked={block[name]}
              onChange={(isOn) => set({ ...block, [name]: isOn })}
            />
          ))
        }
      </SettingForm>
      <SettingForm
        {...props}
        title={texts.ownership}
        sentence={texts.ownershipHint}
        read={({ ownership }) => ownership ?? 'none'}
        change={(ownership) => ({ ownership: ownership === 'none' ? null : ownership })}
      >
        {(ownership, set) => (
          <SelectField
            label={texts.ownership}
            value={ownership}
            onChange={set}
            options={[
              { value: 'none' as const, label: texts.ownerships.none },
              ...OWNERSHIPS.map((value) => ({ value, label: texts.ownerships[value] })),
            ]}
          />
        )}
      </SettingForm>
      <JsonSetting
        {...props}
        title={texts.policy}
        sentence={texts.policyHint}
        field="policy"
        label={texts.policyLabel}
      />
    </>
  );
}

function PublicPart({ bucket, onSaved }: SectionProps) {
  const texts = t().buckets.access;
  const { name, publicAccess } = bucket;
  const opened = openedPrefixes(bucket);
  const mayChange = may('buckets:write');
  async function close(prefix: string): Promise<void> {
    await makePrivate(name, prefix);
    // The toast has said what failed; the page shows what is so now.
    await client.buckets.get(name).then(onSaved, () => undefined);
  }
  return (
    <Part title={texts.public} sentence={texts.publicStates[publicAccess]}>
      {opened.length > 0 && (
        <ul class="opened">
          {opened.map(({ prefix, what }) => (
            <li key={prefix}>
              <ReadBy readers={READERS.read} />
              <span class="cut mono">
                <bdi>{`${name}/${prefix}`}</bdi>
              </span>
              <span class="dim">{what === 'read' ? texts.onlyRead : texts.readAndList}</span>
              {mayChange && (
                <Button
                  kind="secondary"
                  icon={Lock}
                  label={t().shell.close}
                  onClick={() => void close(prefix)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {mayChange && (
        <div class="setting-actions">
          {publicAccess !== 'read' && (
            <Button
              kind="secondary"
              icon={Globe}
              label={t().buckets.makePublic}
              onClick={() => openMakePublic(name)}
            />
          )}
          {publicAccess === 'read' && opened.length === 0 && (
            <Button
              kind="secondary"
              icon={Lock}
              label={t().buckets.makePrivate}
              onClick={() => void close('')}
            />
          )}
        </div>
      )}
    </Part>
  );
}
