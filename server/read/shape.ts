/**
 * Arguments as SQL is written from them: what the key of a plan tells, and no more. Which are given, lists of objects
 * and values of closed types (booleans, enums, page sizes) are there; of any other value only its kind is. Two
 * requests of the same key get the same SQL, because nothing else can be seen while it is written.
 */
export type Shape = Readonly<Record<string, unknown>>;

/** What stands in the key for a value that only an execution knows. No enum has a value like these. */
export const MARK = { value: '"?"', uuid: '"#"', list: '"*"', longList: '"+"' } as const;

const WHY =
  "this argument is a parameter: its value is not known while SQL is written, which is done once for many values; read it in a getter";

const traps = Object.getOwnPropertyNames(Reflect).map((name) => [
  name,
  () => {
    throw new Error(WHY);
  },
]);

/** A value of which nothing can be seen: whatever looks into it throws. That it is a list is known. */
const hidden = (target: object): object => new Proxy(target, Object.fromEntries(traps));

const UUID = hidden({});
const LONG_LIST = hidden([]);
const HIDDEN = new Map<unknown, object>(
  (
    [
      [MARK.value, hidden({})],
      [MARK.uuid, UUID],
      [MARK.list, hidden([])],
      [MARK.longList, LONG_LIST],
    ] as const
  ).map(([mark, value]) => [JSON.parse(mark), value]),
);
const hiddenValues = new Set<unknown>(HIDDEN.values());

/** Reads the key of a plan: the shape of each field's arguments, 0 for a field that does not belong to the statement. */
export const readShapes = (key: string): readonly (Shape | 0)[] =>
  JSON.parse(key, (_, value) => HIDDEN.get(value) ?? value);

/** Whether a value is not known while SQL is written. */
export const isHidden = (value: unknown): boolean => hiddenValues.has(value);

/** Whether a value is a UUID, whichever. */
export const isUuidShape = (value: unknown): boolean => value === UUID;

/** Whether a value is a list of more members than one may have. */
export const isLongList = (value: unknown): boolean => value === LONG_LIST;
