// Hosting: what a bucket shows as a website, and at which hosts. Pictures in other sizes and
// rules against hotlinks stay as they are; they are written as JSON.
import { t } from '../../../i18n/i18n.ts';
import { CheckField, SelectField, TextField } from '../../../ui/field.tsx';
import { FormSetting } from '../json-setting.tsx';
import type { FieldErrors, SectionProps } from '../setting-form.tsx';
import { FormRows, hasShape, isRecord, orNull } from './form-rows.tsx';
import { Hosts } from './hosts.tsx';

type Domain = { readonly host: string; readonly prefix?: string };
type CacheRule = { readonly match: string; readonly cacheControl: string };
/** Settings of docs/hosting.md; what is absent has its default. */
type Hosting = {
  readonly indexDocument?: string;
  readonly errorDocument?: string | null;
  readonly trailingSlash?: string;
  readonly securityHeaders?: string;
  readonly robots?: string;
  readonly domains?: readonly Domain[];
  readonly cacheControlRules?: readonly CacheRule[];
} & { readonly [Name in (typeof SWITCHES)[number]]?: boolean };

const SWITCHES = [
  'cleanUrls',
  'spaFallback',
  'directoryListing',
  'ruleFiles',
  'compression',
  'immutableHashedNames',
] as const;
/** What is off in `{}`. */
const OFF_AT_FIRST: ReadonlySet<string> = new Set(['spaFallback', 'directoryListing']);
const CHOICES = {
  trailingSlash: ['auto', 'always', 'never'],
  securityHeaders: ['basic', 'strict', 'off'],
  robots: ['allow', 'disallow'],
} as const;

const KINDS = {
  ...Object.fromEntries(SWITCHES.map((name) => [name, 'boolean'])),
  ...Object.fromEntries(Object.keys(CHOICES).map((name) => [name, 'string'])),
  indexDocument: 'string',
  errorDocument: 'string',
  domains: 'any',
  cacheControlRules: 'any',
  images: 'any',
  hotlink: 'any',
};
const SHOWN =
  /^\/hosting\/(?:(?:index|error)Document|domains\/\d+\/(?:host|prefix)|cacheControlRules\/\d+\/(?:match|cacheControl))$/;

const isListOf = (value: unknown, kinds: Readonly<Record<string, string>>): boolean =>
  value === undefined || (Array.isArray(value) && value.every((item) => hasShape(item, kinds)));

function parseHosting(json: unknown): Hosting | null | undefined {
  if (json === null) return null;
  const isShown =
    isRecord(json) &&
    hasShape(json, KINDS) &&
    isListOf(json.domains, { host: 'string', prefix: 'string' }) &&
    isListOf(json.cacheControlRules, { match: 'string', cacheControl: 'string' });
  return isShown ? (json as Hosting) : undefined;
}

export function HostingForm(props: SectionProps) {
  const texts = t().buckets.website;
  return (
    <FormSetting
      {...props}
      title={texts.hosting}
      sentence={props.bucket.hosting === null ? texts.hostingOff : texts.hostingOn}
      field="hosting"
      label={texts.settings}
      hint={texts.hostingExample}
      below={<Hosts {...props} />}
      parse={parseHosting}
      shows={SHOWN}
    >
      {(hosting, set, errors) => (
        <>
          <CheckField
            label={texts.isSite}
            checked={hosting !== null}
            onChange={(isOn) => set(isOn ? {} : null)}
          />
          {hosting !== null && (
            <SiteFields
              hosting={hosting}
              onChange={(part) => set({ ...hosting, ...part })}
              errors={(field) => errors(`/hosting/${field}`)}
            />
          )}
        </>
      )}
    </FormSetting>
  );
}

type SiteProps = {
  readonly hosting: Hosting;
  readonly onChange: (part: Hosting) => void;
  readonly errors: FieldErrors;
};

function SiteFields(props: SiteProps) {
  const texts = t().buckets.website;
  const { hosting, onChange, errors } = props;
  return (
    <>
      <FormRows<Domain>
        rows={hosting.domains ?? []}
        onChange={(domains) => onChange({ domains })}
        blank={{ host: '', prefix: '' }}
        name={texts.domain}
        addLabel={texts.addDomain}
      >
        {({ host, prefix = '' }, change, index) => (
          <div class="two-fields">
            <TextField
              label={texts.host}
              hint={texts.hostHint}
              error={errors(`domains/${index}/host`)}
              value={host}
              mono
              onInput={(text) => change({ host: text })}
            />
            <TextField
              label={texts.folder}
              hint={texts.folderHint}
              error={errors(`domains/${index}/prefix`)}
              value={prefix}
              mono
              onInput={(text) => change({ prefix: text })}
            />
          </div>
        )}
      </FormRows>
      <Pages {...props} />
      {SWITCHES.map((name) => (
        <CheckField
          key={name}
          label={texts.switches[name]}
          hint={texts.switchHints[name]}
          checked={hosting[name] ?? !OFF_AT_FIRST.has(name)}
          onChange={(isOn) => onChange({ [name]: isOn })}
        />
      ))}
      <FormRows<CacheRule>
        rows={hosting.cacheControlRules ?? []}
        onChange={(cacheControlRules) => onChange({ cacheControlRules })}
        blank={{ match: '', cacheControl: '' }}
        name={texts.cacheRule}
        addLabel={texts.addCacheRule}
      >
        {({ match, cacheControl }, change, index) => (
          <div class="two-fields">
            <TextField
              label={texts.match}
              hint={texts.matchHint}
              error={errors(`cacheControlRules/${index}/match`)}
              value={match}
              mono
              onInput={(text) => change({ match: text })}
            />
            <TextField
              label="Cache-Control"
              hint={texts.cacheHint}
              error={errors(`cacheControlRules/${index}/cacheControl`)}
              value={cacheControl}
              mono
              onInput={(text) => change({ cacheControl: text })}
            />
          </div>
        )}
      </FormRows>
      <p class="hint">{texts.restAsJson}</p>
    </>
  );
}

function Pages({ hosting, onChange, errors }: SiteProps) {
  const texts = t().buckets.website;
  const { indexDocument = 'index.html', errorDocument = '404.html' } = hosting;
  return (
    <>
      <div class="two-fields">
        <TextField
          label={texts.indexDocument}
          hint={texts.indexHint}
          error={errors('indexDocument')}
          value={indexDocument}
          mono
          onInput={(text) => onChange({ indexDocument: text })}
        />
        <TextField
          label={texts.errorDocument}
          hint={texts.errorHint}
          error={errors('errorDocument')}
          value={errorDocument ?? ''}
          mono
          onInput={(text) => onChange({ errorDocument: orNull(text) })}
        />
      </div>
      <div class="two-fields">
        {(Object.keys(CHOICES) as (keyof typeof CHOICES)[]).map((name) => (
          <SelectField<string>
            key={name}
            label={texts.choices[name].label}
            value={hosting[name] ?? CHOICES[name][0]}
            onChange={(value) => onChange({ [name]: value })}
            options={CHOICES[name].map((value) => ({
              value,
              label:
                (texts.choices[name].options as Readonly<Record<string, string>>)[value] ?? value,
            }))}
          />
        ))}
      </div>
    </>
  );
}
