import { isUuid } from "../../formats/uuid.ts";

/**
 * Arguments as they can be seen while SQL is written: exactly what the key of the plan holds. It says which arguments
 * are given, and has lists of objects and values of closed types (booleans, enums, page sizes) as they are; of any other
 * value it has only the kind. So two requests with the same key get the same SQL. A null inside an argument stays null;
 * an argument that is null itself is absent.
 */
export type Shape = Readonly<Record<string, unknown>>;

/** Marks that stand in the key for values that only an execution knows. No enum has a value like these. */
export const MARK = { value: '"?"', uuid: '"#"', identifier: '"@"', list: '"*"', longList: '"+"' } as const;

const WHY =
  "this argument is a parameter: its value is not known while SQL is written, which is done once for many values; read it in a getter";

const traps = Object.getOwnPropertyNames(Reflect).map((name) => [
  name,
  () => {
    throw new Error(WHY);
  },
]);

/** Stands for a value that is not known: every access throws, but that it is a list can be seen. */
const hidden = (target: object): object => new Proxy(target, Object.fromEntries(traps));

const UUID = hidden({});
const IDENTIFIER = hidden({});
const LONG_LIST = hidden([]);
const HIDDEN = new Map<unknown, object>(
  (
    [
      [MARK.value, hidden({})],
      [MARK.uuid, UUID],
      [MARK.identifier, IDENTIFIER],
      [MARK.list, hidden([])],
      [MARK.longList, LONG_LIST],
    ] as const
  ).map(([mark, value]) => [JSON.parse(mark), value]),
);
const hiddenValues = new Set<unknown>(HIDDEN.values());

/** Reads the key of a plan: the shape of each field's arguments, 0 for a field that does not belong to the statement. */
export const readShapes = (key: string): readonly (Shape | 0)[] =>
  JSON.parse(key, (_, value) => HIDDEN.get(value) ?? value);

/**
 * The shape of a value whose type is not looked at, as JSON: what it is made of, and for each text whether it is a UUID.
 * For conditions that stand in a mutation's input, which have passed the schema.
 */
export function shapeOfValue(value: unknown): string {
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return isUuid(value) ? MARK.uuid : MARK.value;
  if (Array.isArray(value)) return `[${value.map(shapeOfValue).join()}]`;
  if (value === null) return "null";
  if (typeof value !== "object" || value instanceof Date) return MARK.value;
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${shapeOfValue(each)}`).join()}}`;
}

/** Tells whether a value is not known while SQL is written. */
export const isHidden = (value: unknown): boolean => hiddenValues.has(value);

/** Tells whether a value is a UUID, whichever. */
export const isUuidShape = (value: unknown): boolean => value === UUID;

/** Tells whether a term is an issue's identifier, whichever. */
export const isIdentifierShape = (value: unknown): boolean => value === IDENTIFIER;

/** Tells whether a value is a list of more members than one may have. */
export const isLongList = (value: unknown): boolean => value === LONG_LIST;
