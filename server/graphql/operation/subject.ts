import { isUuid } from "../../id.ts";
import { entityOfMutation, model } from "../../resources/index.ts";
import type { Reference } from "../../write/load.ts";

/** Rows of large tables that a mutation is going to ask for, as far as its arguments name them by their ids. */
export function subjectsOf(field: string, { id, input }: Readonly<Record<string, unknown>>): Reference[] {
  const issueId = input && Reflect.get(Object(input), "issueId");
  const named = [[entityOfMutation.get(field), id] as const, ["Issue", issueId] as const];
  return named.flatMap(([name = "", each]): Reference[] => {
    const entity = model.get(name);
    return entity?.event && !entity.small && typeof each === "string" && isUuid(each) ? [[name, each]] : [];
  });
}
