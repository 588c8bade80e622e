import { isObject } from "../../../../formats/json.ts";
import type { Plan, PlanItem } from "./action.ts";
import { type Call, type Input, objectIn, textOf } from "./call.ts";

const ITEMS = 100;
const ITEM = 500;

/** A call that states the plan whole. */
export function plan({ event, input }: Call): Plan[] {
  const list = input["todos"] ?? input["plan"];
  if (!event.success || !Array.isArray(list)) return [];
  const items = list.filter(isObject).slice(0, ITEMS).map(itemOf);
  return [{ kind: "plan", items }];
}

const itemOf = (item: Input): PlanItem => ({
  text: (textOf(item, ["content", "step", "description", "title", "subject"]) ?? "").slice(0, ITEM),
  status: (textOf(item, ["status"]) ?? "pending").slice(0, 40),
});

/** Claude Code's newer tools state one item at a time; the answer to its making names its number. */
export function task({ event, input }: Call): Plan[] {
  const id =
    textOf(input, ["taskId", "task_id"]) ?? /\bTask #?(\d+)/.exec(event.result)?.[1] ?? numberOfTask(event.result);
  if (!event.success || id === undefined) return [];
  const status = textOf(input, ["status"])?.slice(0, 40);
  return [{ kind: "plan", item: { id: id.slice(0, 40), text: textOf(input, ["subject"])?.slice(0, ITEM), status } }];
}

function numberOfTask(result: string): string | undefined {
  const made = objectIn(result)?.["task"];
  return isObject(made) && (typeof made["id"] === "string" || typeof made["id"] === "number")
    ? String(made["id"])
    : undefined;
}

/** The plan after a number of statements of it, in order of time. A deleted item is left out. */
export function planAfter(statements: readonly Plan[]): PlanItem[] {
  let items = new Map<string, PlanItem>();
  for (const { items: all, item } of statements) {
    if (all) items = new Map(all.map((each, index) => [`list ${index}`, each]));
    else if (item?.status === "deleted") items.delete(item.id);
    else if (item) {
      const known = items.get(item.id);
      items.set(item.id, { text: item.text ?? known?.text ?? "", status: item.status ?? known?.status ?? "pending" });
    }
  }
  return [...items.values()].slice(0, ITEMS);
}
