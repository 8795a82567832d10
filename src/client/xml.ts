// The little XML that S3 needs of a client: texts of elements by name, no nesting,
// no attributes.

const ENTITIES = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/** Text of the first element of that name; null: there is none. */
export function textOf(xml: string, name: string): string | null {
  const [start, end] = [xml.indexOf(`<${name}>`), xml.indexOf(`</${name}>`)];
  if (start < 0 || end < start) return null;
  const text = xml.slice(start + name.length + 2, end);
  return text.replace(
    /&(lt|gt|quot|apos|amp);/g,
    (_, entity: keyof typeof ENTITIES) => ENTITIES[entity],
  );
}

/** The insides of all elements of that name, which must not stand in each other. */
export function elementsOf(xml: string, name: string): string[] {
  return xml
    .split(`<${name}>`)
    .slice(1)
    .map((rest) => rest.slice(0, Math.max(0, rest.indexOf(`</${name}>`))));
}
