// What programs need to use an access key: ten kinds of settings, each with a line
// to try it. Pure texts; test/console/snippets.test.ts runs what a machine can run.

export type Connection = {
  /** Origin of S3, without a slash at its end: `https://files.example`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** What the keys begin with; empty: any key. */
  readonly prefix: string;
  readonly keyId: string;
  readonly secret: string;
  /** Name of the key as programs take it: `web-deploy`. */
  readonly profile: string;
  /** What its first request can be: what the key may do. */
  readonly first: 'put' | 'list' | 'get';
};

export type Snippet = {
  readonly id: SnippetId;
  /** Name of the program. */
  readonly label: string;
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** A command, or a program, that makes the first request. */
  readonly trial: string;
};

export const SNIPPET_IDS = [
  'aws',
  'rclone',
  'curl',
  'sdk',
  'boto3',
  'terraform',
  'cyberduck',
  's3cmd',
  'restic',
  'env',
] as const;
export type SnippetId = (typeof SNIPPET_IDS)[number];

/** File that the trials send or fetch. */
const FILE = 'hello.txt';
/** Characters of a profile's name at most. Ours: what fits in a prompt. */
const PROFILE_LENGTH_MAX = 40;

/** The name of a key as a profile: `Web deploy` becomes `web-deploy`. */
export function profileOf(name: string): string {
  const plain = name.slice(0, PROFILE_LENGTH_MAX).toLowerCase();
  const words = plain.split(/[^a-z0-9]/).filter((word) => word !== '');
  return words.join('-') || 'quayside';
}

/** A word as a shell takes it: quoted unless it is plain. */
const shell = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** A string of JavaScript, Python and Terraform; `${` would be a template in the last. */
const quoted = (text: string): string => JSON.stringify(text);
const hcl = (text: string): string => JSON.stringify(text).replaceAll(/[$%](?=\{)/g, '$&$&');

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const encodePath = (key: string): string => key.split('/').map(encodeURIComponent).join('/');

/** All ten, in the order in which they are shown. */
export const snippetsOf = (to: Connection): readonly Snippet[] =>
  SNIPPET_IDS.map((id) => MAKERS[id](to));

const MAKERS: Readonly<Record<SnippetId, (to: Connection) => Snippet>> = {
  aws: awsCli,
  rclone,
  curl,
  sdk,
  boto3,
  terraform,
  cyberduck,
  s3cmd,
  restic,
  env,
};

function awsCli({ endpoint, region, bucket, prefix, keyId, secret, profile, first }: Connection) {
  const target = shell(`s3://${bucket}/${prefix}`);
  const file = shell(`s3://${bucket}/${prefix}${FILE}`);
  const trials = { put: `cp ${FILE} ${file}`, list: `ls ${target}`, get: `cp ${file} ${FILE}` };
  const credentials = `[${profile}]
aws_access_key_id     = ${keyId}
aws_secret_access_key = ${secret}
`;
  const config = `[profile ${profile}]
region       = ${region}
endpoint_url = ${endpoint}
s3 =
  addressing_style = path
`;
  return {
    id: 'aws',
    label: 'AWS CLI',
    files: [
      { name: '~/.aws/credentials', text: credentials },
      { name: '~/.aws/config', text: config },
    ],
    trial: `aws --profile ${profile} s3 ${trials[first]}`,
  } as const;
}

function rclone({ endpoint, region, bucket, prefix, keyId, secret, profile, first }: Connection) {
  const target = shell(`${profile}:${bucket}/${prefix}`);
  const file = shell(`${profile}:${bucket}/${prefix}${FILE}`);
  const trials = {
    put: `copyto ${FILE} ${file}`,
    list: `lsf ${target}`,
    get: `copyto ${file} ${FILE}`,
  };
  const text = `[${profile}]
type = s3
provider = Other
access_key_id = ${keyId}
secret_access_key = ${secret}
region = ${region}
endpoint = ${endpoint}
no_check_bucket = true
`;
  return {
    id: 'rclone',
    label: 'rclone',
    files: [{ name: '~/.config/rclone/rclone.conf', text }],
    trial: `rclone ${trials[first]}`,
  } as const;
}

function curl({ endpoint, region, bucket, prefix, keyId, secret, first }: Connection) {
  // curl before 8 does not say by itself that the body is not signed.
  const header = '--header x-amz-content-sha256:UNSIGNED-PAYLOAD';
  const signed = `curl --fail --aws-sigv4 aws:amz:${region}:s3 ${header}`;
  const url = `${endpoint}/${bucket}/${encodePath(prefix + FILE)}`;
  const listing = `${endpoint}/${bucket}?list-type=2&prefix=${encodeURIComponent(prefix)}`;
  const trials = {
    put: `--upload-file ${FILE} ${shell(url)}`,
    list: shell(listing),
    get: `--output ${FILE} ${shell(url)}`,
  };
  const trial = `${signed} \\
  --user ${shell(`${keyId}:${secret}`)} \\
  ${trials[first]}`;
  return { id: 'curl', label: 'curl', files: [], trial } as const;
}

function sdk({ endpoint, region, bucket, prefix, keyId, secret, first }: Connection) {
  const file = quoted(prefix + FILE);
  const [name, body] = [quoted(bucket), "new Blob(['hello'])"];
  const put = `await client.upload(${name}, ${file}, ${body});`;
  // The listing of the SDK needs a key that may sign in.
  const get = `console.log(await (await client.download(${name}, ${file})).text());`;
  const text = `import { createClient } from 'quayside/client';

const client = createClient({
  endpoint: ${quoted(endpoint)},
  region: ${quoted(region)},
  accessKey: {
    id: ${quoted(keyId)},
    secret: ${quoted(secret)},
  },
});
`;
  return {
    id: 'sdk',
    label: 'JavaScript',
    files: [{ name: 'storage.ts', text }],
    trial: first === 'put' ? put : get,
  } as const;
}

function boto3({ endpoint, region, bucket, prefix, keyId, secret, first }: Connection) {
  const names = `Bucket=${quoted(bucket)}, Key=${quoted(prefix + FILE)}`;
  const trials = {
    put: `s3.put_object(${names}, Body=b"hello")`,
    list: `print(s3.list_objects_v2(Bucket=${quoted(bucket)}, Prefix=${quoted(prefix)}))`,
    get: `print(s3.get_object(${names})["Body"].read())`,
  };
  const text = `import boto3
from botocore.config import Config

s3 = boto3.client(
    "s3",
    endpoint_url=${quoted(endpoint)},
    region_name=${quoted(region)},
    aws_access_key_id=${quoted(keyId)},
    aws_secret_access_key=${quoted(secret)},
    config=Config(s3={"addressing_style": "path"}),
)
`;
  return {
    id: 'boto3',
    label: 'Python',
    files: [{ name: 'storage.py', text }],
    trial: trials[first],
  } as const;
}

function terraform({ endpoint, region, bucket, prefix, keyId, secret, first }: Connection) {
  const text = `provider "aws" {
  region                      = ${hcl(region)}
  access_key                  = ${hcl(keyId)}
  secret_key                  = ${hcl(secret)}
  s3_use_path_style           = true
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_region_validation      = true
  skip_requesting_account_id  = true

  endpoints {
    s3 = ${hcl(endpoint)}
  }
}
`;
  const put = `resource "aws_s3_object" "hello" {
  bucket  = ${hcl(bucket)}
  key     = ${hcl(prefix + FILE)}
  content = "hello"
}`;
  const list = `data "aws_s3_objects" "all" {
  bucket = ${hcl(bucket)}
  prefix = ${hcl(prefix)}
}`;
  const get = `data "aws_s3_object" "hello" {
  bucket = ${hcl(bucket)}
  key    = ${hcl(prefix + FILE)}
}`;
  const trials = { put, list, get };
  return {
    id: 'terraform',
    label: 'Terraform',
    files: [{ name: 'main.tf', text }],
    trial: trials[first],
  } as const;
}

/** Source: docs.cyberduck.io/protocols/profiles, property lists with their own keys. */
function cyberduck({
  endpoint,
  region,
  bucket,
  prefix,
  keyId,
  secret,
  profile,
  first,
}: Connection) {
  const { protocol, hostname, port } = new URL(endpoint);
  const scheme = protocol.slice(0, -1);
  const entries = [
    ['Protocol', 's3'],
    ['Vendor', `quayside-${profile}`],
    ['Description', `Quayside (${profile})`],
    ['Scheme', scheme],
    ['Default Hostname', hostname],
    ['Default Port', port === '' ? (scheme === 'http' ? '80' : '443') : port],
    ['Region', region],
    ['Default Path', `/${bucket}/${prefix}`],
  ] as const;
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"
  "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${entries.map(([key, value]) => `  <key>${key}</key>\n  <string>${xml(value)}</string>`).join('\n')}
  <key>Properties</key>
  <array>
    <string>s3.bucket.virtualhost.disable=true</string>
  </array>
</dict>
</plist>
`;
  const name = `${profile}.cyberduckprofile`;
  const target = shell(`quayside-${profile}://${new URL(endpoint).host}/${bucket}/${prefix}`);
  const trials = {
    put: `--upload ${target} ${FILE}`,
    list: `--list ${target}`,
    get: `--download ${target}${FILE} .`,
  };
  const who = `--username ${shell(keyId)} --password ${shell(secret)}`;
  return {
    id: 'cyberduck',
    label: 'Cyberduck',
    files: [{ name, text }],
    trial: `duck --profile ${name} ${who} \\\n  ${trials[first]}`,
  } as const;
}

function s3cmd({ endpoint, region, bucket, prefix, keyId, secret, first }: Connection) {
  const { host, protocol } = new URL(endpoint);
  const target = shell(`s3://${bucket}/${prefix}`);
  const file = shell(`s3://${bucket}/${prefix}${FILE}`);
  const trials = { put: `put ${FILE} ${file}`, list: `ls ${target}`, get: `get ${file} ${FILE}` };
  const text = `[default]
access_key = ${keyId}
secret_key = ${secret}
host_base = ${host}
host_bucket = ${host}
bucket_location = ${region}
use_https = ${protocol === 'https:' ? 'True' : 'False'}
signature_v2 = False
`;
  return {
    id: 's3cmd',
    label: 's3cmd',
    files: [{ name: '~/.s3cfg', text }],
    trial: `s3cmd ${trials[first]}`,
  } as const;
}

function restic({ endpoint, region, bucket, prefix, keyId, secret }: Connection) {
  const text = `export AWS_ACCESS_KEY_ID=${shell(keyId)}
export AWS_SECRET_ACCESS_KEY=${shell(secret)}
export AWS_DEFAULT_REGION=${shell(region)}
export RESTIC_REPOSITORY=${shell(`s3:${endpoint}/${bucket}/${prefix}backup`)}
export RESTIC_PASSWORD_FILE=restic-password.txt
`;
  return {
    id: 'restic',
    label: 'restic',
    files: [{ name: 'restic.sh', text }],
    trial: `. ./restic.sh && restic init && restic backup ${FILE}`,
  } as const;
}

function env(to: Connection) {
  const { endpoint, region, bucket, keyId, secret, profile } = to;
  const trial = awsCli(to).trial.replace(` --profile ${profile}`, '');
  const text = `AWS_ACCESS_KEY_ID=${keyId}
AWS_SECRET_ACCESS_KEY=${secret}
AWS_REGION=${region}
AWS_ENDPOINT_URL_S3=${endpoint}
S3_BUCKET=${bucket}
`;
  return {
    id: 'env',
    label: '.env',
    files: [{ name: '.env', text }],
    trial: `set -a && . ./.env && set +a && ${trial}`,
  } as const;
}
