/** The priorities in words, by their number. */
export const PRIORITIES = ["none", "urgent", "high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** The number the API has for a priority. */
export const priorityNumber = (name: Priority) => PRIORITIES.indexOf(name);

/** The name of a priority; undefined for "none", which results leave out. */
export const priorityName = (number: number): Priority | undefined => (number > 0 ? PRIORITIES[number] : undefined);

/** A text, unless it is empty. */
export const nonEmpty = (value: string | null | undefined) => value || undefined;

/** The names of some nodes, unless there are none. */
export const nodeNames = (nodes: { name: string }[] | undefined) =>
  nodes?.length ? nodes.map(({ name }) => name) : undefined;

/** A list, unless it is empty. */
export const nonEmptyList = <Item>(items: Item[]) => (items.length > 0 ? items : undefined);

/** At most so many characters, with an ellipsis where it was cut. */
export const truncate = (value: string | null | undefined, most: number) =>
  value && value.length > most ? `${value.slice(0, most - 1)}…` : nonEmpty(value);
