// CORS: which sites' scripts may use what is here, as rules.
import { t } from '../../../i18n/i18n.ts';
import { CheckField, TextField } from '../../../ui/field.tsx';
import type { Bucket } from '../bucket-list.ts';
import { FormSetting } from '../json-setting.tsx';
import type { FieldErrors, SectionProps } from '../setting-form.tsx';
import { FormRows, hasShape, ListField } from './form-rows.tsx';

type Rule = Bucket['cors'][number];
type Method = Rule['allowedMethods'][number];

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const satisfies readonly Method[];
const NEW_RULE: Rule = { allowedMethods: ['GET', 'HEAD'], allowedOrigins: [] };
const KINDS = {
  id: 'string',
  allowedMethods: 'texts',
  allowedOrigins: 'texts',
  allowedHeaders: 'texts',
  exposeHeaders: 'texts',
  maxAgeSeconds: 'number',
} as const;
const SHOWN = /^\/cors\/\d+\/(?:allowed(?:Methods|Origins|Headers)|exposeHeaders|maxAgeSeconds)/;

function parseRules(json: unknown): readonly Rule[] | undefined {
  const rules: unknown = json ?? [];
  const isList = Array.isArray(rules) && rules.every((rule) => hasShape(rule, KINDS));
  return isList ? (rules as Rule[]) : undefined;
}

const originsOf = ({ cors }: Bucket): string =>
  [...new Set(cors.flatMap(({ allowedOrigins }) => allowedOrigins))].join(', ');

export function CorsForm(props: SectionProps) {
  const texts = t().buckets.website;
  const { bucket } = props;
  return (
    <FormSetting
      {...props}
      title={texts.cors}
      sentence={bucket.cors.length === 0 ? texts.corsOff : texts.corsOn(originsOf(bucket))}
      field="cors"
      label={texts.rules}
      hint={texts.corsExample}
      parse={parseRules}
      shows={SHOWN}
    >
      {(rules, set, errors) => (
        <FormRows
          rows={rules}
          onChange={set}
          blank={NEW_RULE}
          name={texts.rule}
          addLabel={texts.addRule}
        >
          {(rule, change, index) => (
            <RuleFields
              rule={rule}
              onChange={change}
              errors={(field) => errors(`/cors/${index}/${field}`)}
            />
          )}
        </FormRows>
      )}
    </FormSetting>
  );
}

type RuleProps = {
  readonly rule: Rule;
  readonly onChange: (part: Partial<Rule>) => void;
  readonly errors: FieldErrors;
};

function RuleFields({ rule, onChange, errors }: RuleProps) {
  const texts = t().buckets.website;
  const { allowedMethods, allowedHeaders = [], exposeHeaders = [], maxAgeSeconds = null } = rule;
  const chosen = new Set(allowedMethods);
  function choose(method: Method, isOn: boolean): void {
    onChange({
      allowedMethods: METHODS.filter((one) => (one === method ? isOn : chosen.has(one))),
    });
  }
  return (
    <>
      <ListField
        label={texts.origins}
        hint={texts.originsHint}
        error={errors('allowedOrigins')}
        value={rule.allowedOrigins ?? []}
        onChange={(allowedOrigins) => onChange({ allowedOrigins })}
      />
      <fieldset class="radios form-methods">
        <legend>{texts.methods}</legend>
        {METHODS.map((method) => (
          <CheckField
            key={method}
            label={method}
            checked={chosen.has(method)}
            onChange={(isOn) => choose(method, isOn)}
          />
        ))}
        {errors('allowedMethods') !== null && (
          <p class="field-error" role="alert">
            {errors('allowedMethods')}
          </p>
        )}
      </fieldset>
      <div class="two-fields">
        <ListField
          label={texts.allowedHeaders}
          hint={texts.allowedHeadersHint}
          error={errors('allowedHeaders')}
          value={allowedHeaders}
          onChange={(headers) => onChange({ allowedHeaders: headers })}
        />
        <ListField
          label={texts.exposeHeaders}
          hint={texts.exposeHeadersHint}
          error={errors('exposeHeaders')}
          value={exposeHeaders}
          onChange={(headers) => onChange({ exposeHeaders: headers })}
        />
      </div>
      <TextField
        label={texts.maxAge}
        hint={texts.maxAgeHint}
        error={errors('maxAgeSeconds')}
        type="number"
        min={0}
        value={maxAgeSeconds === null ? '' : `${maxAgeSeconds}`}
        onInput={(text) => onChange({ maxAgeSeconds: text === '' ? null : Number(text) })}
      />
    </>
  );
}
