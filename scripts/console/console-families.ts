// Pieces of the console that are loaded together, each family as one file. Left alone, the
// bundler makes a file of every piece, most of them below 1 KB: each is a request, and none
// compresses well.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Plugin, parseSync } from 'vite';

/**
 * Families by the path of the module that stands for them (no such file is there), each with the
 * modules that the console imports when they are first shown.
 */
export const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  'app/frame.ts': [
    'app/global-commands.tsx',
    'ui/menu.tsx',
    'views/palette/palette.tsx',
    'views/palette/api-calls.tsx',
    'views/palette/key-list.tsx',
  ],
  'views/folder.ts': [
    'views/browse/folder-commands.tsx',
    'views/browse/filter-bar.tsx',
    'views/browse/list/lasso.tsx',
    'views/browse/look.tsx',
    'views/browse/look-menu.ts',
    'views/browse/list/empty-folder.tsx',
    'views/browse/list/no-match.tsx',
    'views/change/open-change.tsx',
    'views/upload/download/take-out.ts',
  ],
  'views/beside-folder.ts': [
    'views/browse/copy/copy-as.ts',
    'views/browse/path/path-editor.tsx',
    'views/browse/storage-map/storage-map.tsx',
    'views/browse/inspector/inspector.tsx',
  ],
  'views/access.ts': [
    'views/access/readers.tsx',
    'views/access/test-access.tsx',
    'views/access/make-public.tsx',
    'views/access/presign.tsx',
    'views/access/probe.tsx',
  ],
  'views/bucket-dialogs.ts': [
    'views/buckets/create-bucket.tsx',
    'views/buckets/delete-bucket.tsx',
    'views/buckets/empty-bucket.tsx',
  ],
  'views/bucket-sections.ts': [
    'views/buckets/website/website-section.tsx',
    'views/buckets/lifecycle-preview.tsx',
    'views/buckets/danger-section.tsx',
  ],
  'views/change.ts': [
    'views/change/rename.tsx',
    'views/change/move.tsx',
    'views/change/copy.tsx',
    'views/change/edit.tsx',
    'views/change/delete.tsx',
    'views/change/new-folder.tsx',
  ],
  'views/compare.ts': [
    'views/compare/compare.tsx',
    'views/compare/images-diff.tsx',
    'views/viewers/diff-view.tsx',
  ],
  'views/keys.ts': ['views/keys/keys.tsx', 'views/keys/new-key.tsx'],
  'views/link-forms.ts': ['views/links/share.tsx', 'views/links/drop.tsx'],
  'views/object.ts': [
    'views/object/object.tsx',
    'views/object/versions.tsx',
    'views/object/details.tsx',
    'views/object/delete-for-good.tsx',
  ],
  'views/operator.ts': ['views/operator/account.ts', 'views/operator/account-banner.tsx'],
  'views/settings-parts.ts': ['views/settings/audit.tsx', 'views/settings/accounts.tsx'],
  'views/sign-in.ts': [
    'views/sign-in/sign-in.tsx',
    'views/sign-in/again.tsx',
    'views/sign-in/first-run.tsx',
    'views/sign-in/invitation.tsx',
  ],
  'views/dock.ts': ['views/upload/dock.tsx', 'views/upload/bring-in.ts'],
  'views/upload-dialogs.ts': [
    'views/upload/plan/upload-dialog.tsx',
    'views/upload/choose/paste-dialog.tsx',
    'views/upload/choose/new-text.tsx',
    'views/upload/resume/unfinished.tsx',
  ],
  'views/uploads.ts': [
    'views/upload/dock-uploads.tsx',
    'views/upload/send/proof.ts',
    'views/upload/download/download-lines.tsx',
    'views/upload/download/folder-download.ts',
    'views/upload/resume/interrupted.tsx',
    'views/upload/resume/go-on.ts',
  ],
  'views/viewers/archive.ts': [
    'views/viewers/archive/gzip.tsx',
    'views/viewers/archive/zip.tsx',
    'views/viewers/archive/tar.tsx',
  ],
  'views/viewers/media.ts': [
    'views/viewers/media/image.tsx',
    'views/viewers/media/heic.tsx',
    'views/viewers/media/video.tsx',
    'views/viewers/media/audio.tsx',
    'views/viewers/media/font.tsx',
  ],
  'views/viewers/page.ts': [
    'views/viewers/page/pdf.tsx',
    'views/viewers/page/page.tsx',
    'views/viewers/page/markdown.tsx',
  ],
  'views/viewers/text.ts': [
    'views/viewers/text/text.tsx',
    'views/viewers/text/log.tsx',
    'views/viewers/table/table.tsx',
    'views/viewers/hex.tsx',
  ],
  'views/viewers/viewer.ts': [
    'views/viewers/viewer.tsx',
    'views/viewers/page/readme.tsx',
    'views/viewers/quick-look.tsx',
  ],
};

/** A dynamic import of a file of the console, as all of them are written. */
const DYNAMIC_IMPORT = /\bimport\('(\.{1,2}\/[^']+)'\)/g;

type Family = { readonly path: string; readonly name: string };

/**
 * What a piece exports, as an object that is exported under the name. The bundler's own namespaces
 * (`export * as`) would cost every family a file with what makes them.
 */
function piecesExports(path: string, name: string): string {
  const { module } = parseSync(path, readFileSync(path, 'utf8'));
  const names = module.staticExports.flatMap(({ entries }) =>
    entries.filter(({ isType }) => !isType).map(({ exportName }) => exportName.name ?? 'default'),
  );
  const imports = names.map((one) => `${one} as ${name}_${one}`).join(', ');
  const fields = names.map((one) => `${one}: ${name}_${one}`).join(', ');
  const from = JSON.stringify(path);
  return `import { ${imports} } from ${from};\nexport const ${name} = { ${fields} };`;
}

/** Makes one module of each family, and of the import of a piece an import of its family. */
export function families(root: string): Plugin {
  const modules = new Map<string, string>();
  const familyOf = new Map<string, Family>();
  for (const [family, pieces] of Object.entries(FAMILIES)) {
    const path = join(root, family);
    const lines = pieces.map((piece, index) => {
      const name = `p${index}`;
      familyOf.set(join(root, piece), { path, name });
      return piecesExports(join(root, piece), name);
    });
    modules.set(path, lines.join('\n'));
  }

  const imported = new Set<string>();
  return {
    name: 'families',
    enforce: 'pre',
    resolveId: (id) => (modules.has(id) ? id : null),
    load: (id) => modules.get(id) ?? null,
    transform: {
      filter: { id: /\.tsx?$/, code: /\bimport\('/ },
      handler: (code, id) =>
        code.replace(DYNAMIC_IMPORT, (whole, relative: string) => {
          const piece = join(dirname(id), relative);
          const family = familyOf.get(piece);
          if (family === undefined) return whole;
          imported.add(piece);
          return `import(${JSON.stringify(family.path)}).then((all) => all.${family.name})`;
        }),
    },
    buildEnd() {
      const unused = [...familyOf.keys()].filter((piece) => !imported.has(piece));
      if (unused.length > 0) this.error(`Nothing imports ${unused.join(', ')}: strike them off`);
    },
  };
}
