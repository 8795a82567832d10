// Where programs go, and the limits of this server.
import { server } from '../../app/session.ts';
import { bytes, count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Section } from './section.tsx';

export function ApiFacts() {
  const texts = t().settings;
  const facts = server.value;
  if (facts === null) return null;
  const { s3Endpoint, region, baseDomain, limits } = facts;
  return (
    <>
      <Section title={texts.sections.api} lead={texts.apiLead}>
        <div class="settings-form">
          <CopyField label={texts.s3Endpoint} value={s3Endpoint} />
          <CopyField label={texts.region} value={region} />
          <CopyField label={texts.apiUrl} value={`${location.origin}/-/api/v1`} />
          {baseDomain !== null && (
            <CopyField label={texts.bucketHost} value={`{bucket}.${baseDomain}`} />
          )}
          <p>
            <a href="/-/docs" target="_blank" rel="noreferrer">
              {texts.reference}
            </a>
            {' · '}
            <a href="/-/api/openapi.json" target="_blank" rel="noreferrer">
              {texts.openapi}
            </a>
          </p>
        </div>
      </Section>
      <Section title={texts.limits}>
        <ul class="bullets">
          <li>{texts.objectLimit(bytes(limits.objectBytes))}</li>
          <li>{texts.partLimit(count(limits.parts))}</li>
        </ul>
      </Section>
    </>
  );
}
