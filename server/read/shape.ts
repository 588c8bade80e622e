import { isUuid } from "../../formats/uuid.ts";

/**
 * The properties of arguments on which the SQL may depend. A shape and its plan key contain the names of the given
 * arguments, lists of objects, and values of closed types (booleans, enums, page sizes). Of any other value, a shape
 * contains only the kind, such as UUID or list. Two requests with the same plan key therefore get the same SQL. A null
 * inside an argument stays null; an argument that is null as a whole counts as absent.
 */
export type ArgumentShape = Readonly<Record<string, unknown>>;

/**
 * Placeholders in the plan key for values that are known only when the plan runs. No enum has a value equal to a
 * placeholder.
 */
export const PLAN_KEY_MARKS = { value: '"?"', uuid: '"#"', identifier: '"@"', list: '"*"', longList: '"+"' } as const;

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
      [PLAN_KEY_MARKS.value, hidden({})],
      [PLAN_KEY_MARKS.uuid, UUID],
      [PLAN_KEY_MARKS.identifier, IDENTIFIER],
      [PLAN_KEY_MARKS.list, hidden([])],
      [PLAN_KEY_MARKS.longList, LONG_LIST],
    ] as const
  ).map(([mark, value]) => [JSON.parse(mark), value]),
);
const hiddenValues = new Set<unknown>(HIDDEN.values());

/** Reads a plan key: the shape of each field's arguments, and 0 for a field that does not belong to the statement. */
export const parsePlanKey = (key: string): readonly (ArgumentShape | 0)[] =>
  JSON.parse(key, (_, value) => HIDDEN.get(value) ?? value);

/**
 * Returns the shape of a value as JSON, without knowing the value's type: the structure, and for each text whether
 * the text is a UUID. Used for conditions in a mutation's input, which the schema has already validated.
 */
export function shapeOfValue(value: unknown): string {
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return isUuid(value) ? PLAN_KEY_MARKS.uuid : PLAN_KEY_MARKS.value;
  if (Array.isArray(value)) return `[${value.map(shapeOfValue).join()}]`;
  if (value === null) return "null";
  if (typeof value !== "object" || value instanceof Date) return PLAN_KEY_MARKS.value;
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
