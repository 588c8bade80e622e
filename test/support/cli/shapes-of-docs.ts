import { readFileSync } from "node:fs";

type Fields = Map<string, string>;

/**
 * Reads the interfaces in the ts blocks of a page of the docs. Returns the fields and their types as written, by
 * name.
 */
export function readDocumentedShapes(path: string): Map<string, Fields> {
  const blocks = [...readFileSync(path, "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block).join("\n");
  const shapes = new Map<string, Fields>();
  for (const [, name = "", base, body = ""] of blocks.matchAll(/interface (\w+)(?: extends (\w+))? \{([^}]*)\}/g)) {
    const fields = body
      .replaceAll(/\/\/.*$/gm, "")
      .split(/[;\n]/)
      .map((field) => field.trim())
      .filter(Boolean)
      .map((field): [string, string] => [
        field.slice(0, field.indexOf(":")),
        field.slice(field.indexOf(":") + 1).trim(),
      ]);
    shapes.set(name, new Map([...(shapes.get(base ?? "") ?? []), ...fields]));
  }
  return shapes;
}

/** Lists the fields that only the value or only the documented shape has. */
export function findStrayFields(shapes: Map<string, Fields>, type: string, value: unknown, path = type): string[] {
  const kinds = type.split("|").map((kind) => kind.trim());
  if (value === null) return kinds.includes("null") ? [] : [`${path} is null`];
  const [kind = ""] = kinds;
  if (kind.endsWith("[]"))
    return Array.isArray(value)
      ? value.flatMap((each, at) => findStrayFields(shapes, kind.slice(0, -2), each, `${path}[${at}]`))
      : [`${path} is no list`];
  const fields = shapes.get(kind);
  if (!fields) return typeof value === kind ? [] : [`${path} is ${typeof value}, not ${kind}`];
  if (typeof value !== "object" || Array.isArray(value)) return [`${path} is no ${kind}`];
  const extra = Object.keys(value).filter((name) => !fields.has(name));
  return [
    ...extra.map((name) => `${path}.${name} is not documented`),
    ...[...fields].flatMap(([name, inner]) =>
      Object.hasOwn(value, name)
        ? findStrayFields(shapes, inner, (value as Record<string, unknown>)[name], `${path}.${name}`)
        : [`${path}.${name} is missing`],
    ),
  ];
}
