// Website in S3's way: pages of its own, or a redirect of everything; rules that lead elsewhere.
import { t } from '../../../i18n/i18n.ts';
import { RadioField, SelectField, TextField } from '../../../ui/field.tsx';
import { FormSetting } from '../json-setting.tsx';
import type { FieldErrors, SectionProps } from '../setting-form.tsx';
import { FormRows, hasShape, isRecord, orNull } from './form-rows.tsx';

type Protocol = 'http' | 'https' | null;
type Redirect = {
  readonly hostName?: string | null;
  readonly protocol?: Protocol;
  readonly statusCode?: number | null;
  readonly replaceKeyPrefixWith?: string | null;
  readonly replaceKeyWith?: string | null;
};
type Rule = {
  readonly keyPrefix?: string | null;
  readonly errorCode?: number | null;
  readonly redirect: Redirect;
};
type Website = {
  readonly redirectAllTo?: { readonly hostName: string; readonly protocol?: Protocol } | null;
  readonly indexSuffix?: string | null;
  readonly errorKey?: string | null;
  readonly routingRules?: readonly Rule[];
};

const STATUS_CODES = [301, 302, 303, 307, 308] as const;
const KINDS = {
  redirectAllTo: 'any',
  indexSuffix: 'string',
  errorKey: 'string',
  routingRules: 'any',
};
const RULE_KINDS = { keyPrefix: 'string', errorCode: 'number', redirect: 'object' };
const REDIRECT_KINDS = {
  hostName: 'string',
  protocol: 'string',
  statusCode: 'number',
  replaceKeyPrefixWith: 'string',
  replaceKeyWith: 'string',
};
const SHOWN =
  /^\/website\/(?:indexSuffix|errorKey|redirectAllTo\/hostName|routingRules\/\d+\/(?:keyPrefix|errorCode|redirect\/\w+))$/;

const isRule = (rule: unknown): boolean =>
  isRecord(rule) && hasShape(rule, RULE_KINDS) && hasShape(rule.redirect, REDIRECT_KINDS);

function parseWebsite(json: unknown): Website | null | undefined {
  if (json === null) return null;
  if (!isRecord(json) || !hasShape(json, KINDS)) return undefined;
  const { redirectAllTo = null, routingRules = [] } = json;
  const isShown =
    (redirectAllTo === null || hasShape(redirectAllTo, REDIRECT_KINDS)) &&
    Array.isArray(routingRules) &&
    routingRules.every(isRule);
  return isShown ? (json as Website) : undefined;
}

type Kind = 'none' | 'pages' | 'redirect';

const FIRST: Readonly<Record<Kind, Website | null>> = {
  none: null,
  pages: { indexSuffix: 'index.html' },
  redirect: { redirectAllTo: { hostName: '' } },
};

function kindOf(website: Website | null): Kind {
  if (website === null) return 'none';
  return (website.redirectAllTo ?? null) === null ? 'pages' : 'redirect';
}

export function S3WebsiteForm(props: SectionProps) {
  const texts = t().buckets.website;
  return (
    <FormSetting
      {...props}
      title={texts.s3Website}
      sentence={texts.s3WebsiteHint}
      field="website"
      label={texts.settings}
      hint={texts.s3Example}
      parse={parseWebsite}
      shows={SHOWN}
    >
      {(website, set, errors) => (
        <>
          <RadioField
            legend={texts.s3Website}
            name="s3-website"
            value={kindOf(website)}
            onChange={(kind) => set(FIRST[kind])}
            options={(['none', 'pages', 'redirect'] as const).map((value) => ({
              value,
              label: texts.s3Kinds[value],
            }))}
          />
          {website !== null && (
            <WebsiteFields
              website={website}
              onChange={(part) => set({ ...website, ...part })}
              errors={(field) => errors(`/website/${field}`)}
            />
          )}
        </>
      )}
    </FormSetting>
  );
}

type WebsiteProps = {
  readonly website: Website;
  readonly onChange: (part: Website) => void;
  readonly errors: FieldErrors;
};

function WebsiteFields({ website, onChange, errors }: WebsiteProps) {
  const texts = t().buckets.website;
  const { redirectAllTo = null, indexSuffix, errorKey, routingRules = [] } = website;
  if (redirectAllTo !== null) {
    return (
      <div class="two-fields">
        <TextField
          label={texts.host}
          hint={texts.hostHint}
          error={errors('redirectAllTo/hostName')}
          value={redirectAllTo.hostName}
          mono
          onInput={(hostName) => onChange({ redirectAllTo: { ...redirectAllTo, hostName } })}
        />
        <ProtocolField
          value={redirectAllTo.protocol}
          onChange={(protocol) => onChange({ redirectAllTo: { ...redirectAllTo, protocol } })}
        />
      </div>
    );
  }
  return (
    <>
      <div class="two-fields">
        <TextField
          label={texts.indexDocument}
          hint={texts.indexHint}
          error={errors('indexSuffix')}
          value={indexSuffix ?? ''}
          mono
          onInput={(text) => onChange({ indexSuffix: text })}
        />
        <TextField
          label={texts.errorDocument}
          hint={texts.s3ErrorHint}
          error={errors('errorKey')}
          value={errorKey ?? ''}
          mono
          onInput={(text) => onChange({ errorKey: orNull(text) })}
        />
      </div>
      <FormRows<Rule>
        rows={routingRules}
        onChange={(rules) => onChange({ routingRules: rules })}
        blank={{ redirect: {} }}
        name={texts.rule}
        addLabel={texts.addRule}
      >
        {(rule, change, index) => (
          <RuleFields
            rule={rule}
            onChange={change}
            errors={(field) => errors(`routingRules/${index}/${field}`)}
          />
        )}
      </FormRows>
    </>
  );
}

type RuleProps = {
  readonly rule: Rule;
  readonly onChange: (part: Partial<Rule>) => void;
  readonly errors: FieldErrors;
};

function RuleFields({ rule, onChange, errors }: RuleProps) {
  const texts = t().buckets.website;
  const { keyPrefix, errorCode = null, redirect } = rule;
  const setRedirect = (part: Redirect) => onChange({ redirect: { ...redirect, ...part } });
  const redirectField = (name: 'hostName' | 'replaceKeyPrefixWith' | 'replaceKeyWith') => (
    <TextField
      label={texts.redirects[name]}
      error={errors(`redirect/${name}`)}
      value={redirect[name] ?? ''}
      mono
      onInput={(text) => setRedirect({ [name]: orNull(text) })}
    />
  );
  return (
    <div class="two-fields">
      <TextField
        label={texts.keyPrefix}
        error={errors('keyPrefix')}
        value={keyPrefix ?? ''}
        mono
        onInput={(text) => onChange({ keyPrefix: orNull(text) })}
      />
      <TextField
        label={texts.errorCode}
        error={errors('errorCode')}
        type="number"
        value={errorCode === null ? '' : `${errorCode}`}
        onInput={(text) => onChange({ errorCode: text === '' ? null : Number(text) })}
      />
      {redirectField('hostName')}
      <ProtocolField value={redirect.protocol} onChange={(protocol) => setRedirect({ protocol })} />
      {redirectField('replaceKeyPrefixWith')}
      {redirectField('replaceKeyWith')}
      <SelectField
        label={texts.statusCode}
        value={`${redirect.statusCode ?? ''}`}
        onChange={(code) => setRedirect({ statusCode: code === '' ? null : Number(code) })}
        options={[
          { value: '', label: texts.usual },
          ...STATUS_CODES.map((code) => ({ value: `${code}`, label: `${code}` })),
        ]}
      />
    </div>
  );
}

type ProtocolProps = {
  readonly value: Protocol | undefined;
  readonly onChange: (protocol: Protocol) => void;
};

function ProtocolField({ value, onChange }: ProtocolProps) {
  const texts = t().buckets.website;
  return (
    <SelectField
      label={texts.protocol}
      value={value ?? ''}
      onChange={(protocol) => onChange(protocol === '' ? null : protocol)}
      options={[
        { value: '' as const, label: texts.usual },
        { value: 'https' as const, label: 'https' },
        { value: 'http' as const, label: 'http' },
      ]}
    />
  );
}
