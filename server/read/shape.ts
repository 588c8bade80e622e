import { isUuid } from "../../formats/uuid.ts";

/**
 * The part of the arguments that SQL may depend on. A shape and its plan key have the same content: the names of the
 * given arguments, lists of objects, and values of closed types (booleans, enums, page sizes). Of any other value, a
 * shape contains only the kind. Two requests with the same key therefore get the same SQL. A null inside an argument
 * stays null; an argument that is null as a whole counts as absent.
 */
export type Shape = Readonly<Record<string, unknown>>;

/** Marks in the plan key for values that are known only when the plan runs. No enum has such a value. */
export const MARK = { value: '"?"', uuid: '"#"', identifier: '"@"', list: '"*"', longList: '"+"' } as const;

const WHY =
  "this argument is a parameter: its value is not known while SQL is written, which is done once for many values; read it in a getter";

const traps = Object.getOwnPropertyNames(Reflect).map((name) => [
  name,
  () => {
    throw new Error(WHY);
  },
]);

/** Returns a placeholder for an unknown value. Every access throws, except `Array.isArray`. */
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

/** Reads a plan key: the shape of each field's arguments, and 0 for a field that does not belong to the statement. */
export const readShapes = (key: string): readonly (Shape | 0)[] =>
  JSON.parse(key, (_, value) => HIDDEN.get(value) ?? value);

/**
 * Returns the shape of a value as JSON, without knowing the value's type: the structure, and for each text whether
 * the text is a UUID. Used for conditions in a mutation's input, which the schema has already validated.
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

/** Returns true if a value is not known while SQL is written. */
export const isUnknownValue = (value: unknown): boolean => hiddenValues.has(value);

/** Returns true if a value is the placeholder of a UUID. */
export const isUuidShape = (value: unknown): boolean => value === UUID;

/** Returns true if a value is the placeholder of an issue identifier. */
export const isIdentifierShape = (value: unknown): boolean => value === IDENTIFIER;

/** Returns true if a value is the placeholder of a list with more members than allowed. */
export const isLongList = (value: unknown): boolean => value === LONG_LIST;
