import { isUuid } from "../../../formats/uuid.ts";
import { entityOfMutation, model } from "../../resources/index.ts";
import type { Id, Reference } from "../../write/load.ts";

/**
 * Rows of large tables that a mutation is going to ask for, if its arguments name them by their ids: its subject, and
 * the targets of its input's links.
 */
export function subjectsOf(field: string, { id, input }: Readonly<Record<string, unknown>>): Reference[] {
  const entity = model.get(entityOfMutation.get(field) ?? "");
  const given = (name: string): unknown => input && Reflect.get(Object(input), name);
  const links = Object.values(entity?.one ?? {}).flatMap(({ entity: to, by }) =>
    by ? [[to, given(by)] as const] : [],
  );
  const named = [[entity?.name ?? "", id] as const, ["Issue", given("issueId")] as const, ...links];
  return named.filter((each): each is [string, Id & string] => isKnown(...each));
}

function isKnown(name: string, id: unknown): boolean {
  const { event, tuning } = model.get(name) ?? {};
  return event !== undefined && tuning?.few !== "cached" && typeof id === "string" && isUuid(id);
}
