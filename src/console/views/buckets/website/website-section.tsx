// Website: hosting with its hosts, S3's older website setting, CORS.
import type { SectionProps } from '../setting-form.tsx';
import { CorsForm } from './cors-form.tsx';
import { HostingForm } from './hosting-form.tsx';
import { S3WebsiteForm } from './s3-website-form.tsx';

export default function WebsiteSection(props: SectionProps) {
  return (
    <>
      <HostingForm {...props} />
      <S3WebsiteForm {...props} />
      <CorsForm {...props} />
    </>
  );
}
