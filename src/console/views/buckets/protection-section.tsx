// Protection: encryption, object lock, quota.
import { server } from '../../app/session.ts';
import { bytes } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { CheckField, RadioField, SelectField, TextField } from '../../ui/field.tsx';
import type { Bucket } from './bucket-list.ts';
import { type SectionProps, SettingForm } from './setting-form.tsx';

export function ProtectionSection(props: SectionProps) {
  return (
    <>
      <Encryption {...props} />
      <Lock {...props} />
      <Quota {...props} />
    </>
  );
}

type EncryptionDraft = {
  readonly kind: 'none' | 'server' | 'named';
  readonly keyId: string;
  readonly refuses: boolean;
};

const readEncryption = ({ encryption }: Bucket): EncryptionDraft => ({
  kind: encryption?.kind ?? 'none',
  keyId: encryption?.keyId ?? '',
  refuses: encryption?.refusesCustomerKeys ?? false,
});

function Encryption(props: SectionProps) {
  const texts = t().buckets.encryption;
  const canEncrypt = server.value?.features.encryption ?? false;
  return (
    <SettingForm
      {...props}
      title={texts.title}
      sentence={canEncrypt ? texts.sentence : texts.noMasterKey}
      read={readEncryption}
      change={({ kind, keyId, refuses }) => ({
        encryption:
          kind === 'none'
            ? null
            : {
                kind,
                refusesCustomerKeys: refuses,
                keyId: kind === 'named' && keyId !== '' ? keyId : null,
              },
      })}
    >
      {(draft, set) => (
        <>
          <RadioField
            legend={texts.title}
            name="encryption"
            value={draft.kind}
            onChange={(kind) => set({ ...draft, kind })}
            options={(['none', 'server', 'named'] as const).map((value) => ({
              value,
              label: texts.kinds[value],
              hint: texts.kindHints[value],
            }))}
          />
          {draft.kind === 'named' && (
            <TextField
              label={texts.keyId}
              hint={texts.keyIdHint}
              value={draft.keyId}
              mono
              onInput={(keyId) => set({ ...draft, keyId })}
            />
          )}
          {draft.kind !== 'none' && (
            <CheckField
              label={texts.refuses}
              hint={texts.refusesHint}
              checked={draft.refuses}
              onChange={(refuses) => set({ ...draft, refuses })}
            />
          )}
        </>
      )}
    </SettingForm>
  );
}

type LockDraft = {
  readonly isOn: boolean;
  readonly mode: 'none' | 'GOVERNANCE' | 'COMPLIANCE';
  readonly unit: 'days' | 'years';
  readonly amount: string;
};

/** Longest default retention of S3. */
const LOCK_MAX = { days: 36_500, years: 100 } as const;

function readLock({ objectLock }: Bucket): LockDraft {
  const retention = objectLock?.defaultRetention ?? null;
  const years = retention?.years ?? null;
  return {
    isOn: objectLock !== null,
    mode: retention?.mode ?? 'none',
    unit: years === null ? 'days' : 'years',
    amount: retention === null ? '30' : `${years ?? retention.days}`,
  };
}

const isAmount = ({ unit, amount }: LockDraft): boolean =>
  Number.isInteger(Number(amount)) && Number(amount) >= 1 && Number(amount) <= LOCK_MAX[unit];

function Lock(props: SectionProps) {
  const texts = t().buckets.lock;
  const { bucket } = props;
  return (
    <SettingForm
      {...props}
      title={texts.title}
      sentence={bucket.versioning === 'enabled' ? texts.sentence : texts.needsVersions}
      read={readLock}
      change={({ isOn, mode, unit, amount }) =>
        isOn
          ? {
              objectLock: {
                defaultRetention:
                  mode === 'none'
                    ? null
                    : { mode, days: null, years: null, [unit]: Number(amount) },
              },
            }
          : {}
      }
      problem={(draft) => (draft.mode === 'none' || isAmount(draft) ? null : texts.amountWrong)}
    >
      {(draft, set) => (
        <>
          <CheckField
            label={texts.title}
            hint={texts.onHint}
            checked={draft.isOn}
            disabled={bucket.objectLock !== null || bucket.versioning !== 'enabled'}
            onChange={(isOn) => set({ ...draft, isOn })}
          />
          {draft.isOn && (
            <>
              <RadioField
                legend={texts.default}
                name="lock"
                value={draft.mode}
                onChange={(mode) => set({ ...draft, mode })}
                options={(['none', 'GOVERNANCE', 'COMPLIANCE'] as const).map((value) => ({
                  value,
                  label: texts.modes[value],
                  hint: texts.modeHints[value],
                }))}
              />
              {draft.mode !== 'none' && (
                <div class="two-fields">
                  <TextField
                    label={texts.amount}
                    type="number"
                    min={1}
                    value={draft.amount}
                    onInput={(amount) => set({ ...draft, amount })}
                    error={isAmount(draft) ? null : texts.amountWrong}
                  />
                  <SelectField
                    label={texts.unit}
                    value={draft.unit}
                    onChange={(unit) => set({ ...draft, unit })}
                    options={(['days', 'years'] as const).map((value) => ({
                      value,
                      label: texts.units[value],
                    }))}
                  />
                </div>
              )}
            </>
          )}
        </>
      )}
    </SettingForm>
  );
}

const GIGABYTE = 1e9;
/** Most gigabytes that 15 digits of bytes hold. */
const QUOTA_MAX_GB = 999_999;

type QuotaDraft = { readonly gigabytes: string; readonly objects: string };

const isQuota = ({ gigabytes, objects }: QuotaDraft): boolean =>
  (gigabytes === '' || (Number(gigabytes) > 0 && Number(gigabytes) <= QUOTA_MAX_GB)) &&
  (objects === '' || (Number.isSafeInteger(Number(objects)) && Number(objects) >= 0));

function Quota(props: SectionProps) {
  const texts = t().buckets.quota;
  return (
    <SettingForm
      {...props}
      title={texts.title}
      sentence={texts.sentence}
      read={({ quota }): QuotaDraft => ({
        gigabytes: quota?.bytes == null ? '' : `${Number(quota.bytes) / GIGABYTE}`,
        objects: quota?.objects == null ? '' : `${quota.objects}`,
      })}
      change={({ gigabytes, objects }) => ({
        quota:
          gigabytes === '' && objects === ''
            ? null
            : {
                bytes: gigabytes === '' ? null : `${Math.round(Number(gigabytes) * GIGABYTE)}`,
                objects: objects === '' ? null : Number(objects),
              },
      })}
      problem={(draft) => (isQuota(draft) ? null : texts.wrong)}
    >
      {(draft, set) => (
        <div class="two-fields">
          <TextField
            label={texts.gigabytes}
            type="number"
            min={0}
            value={draft.gigabytes}
            hint={
              isQuota(draft) && draft.gigabytes !== ''
                ? texts.stopsAt(bytes(Number(draft.gigabytes) * GIGABYTE))
                : texts.noLimit
            }
            onInput={(gigabytes) => set({ ...draft, gigabytes })}
            error={isQuota(draft) ? null : texts.wrong}
          />
          <TextField
            label={texts.objects}
            type="number"
            min={0}
            value={draft.objects}
            hint={texts.objectsHint}
            onInput={(objects) => set({ ...draft, objects })}
          />
        </div>
      )}
    </SettingForm>
  );
}
