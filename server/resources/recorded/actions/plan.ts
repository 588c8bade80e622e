import { isObject } from "../../../../formats/json.ts";
import type { Plan, PlanItem } from "./action.ts";
import { type ParsedToolCall, parseJsonObject, readInputText, type ToolCallInput } from "./call.ts";

const ITEMS = 100;
const ITEM = 500;

/** Reads a call that states the whole plan. */
export function readPlan({ event, input }: ParsedToolCall): Plan[] {
  const list = input["todos"] ?? input["plan"];
  if (!event.success || !Array.isArray(list)) return [];
  const items = list.filter(isObject).slice(0, ITEMS).map(itemOf);
  return [{ kind: "plan", items }];
}

const itemOf = (item: ToolCallInput): PlanItem => ({
  text: (readInputText(item, ["content", "step", "description", "title", "subject"]) ?? "").slice(0, ITEM),
  status: (readInputText(item, ["status"]) ?? "pending").slice(0, 40),
});

/**
 * Reads a call that states one item of a plan, as the newer tools of Claude Code do. If the call creates the item, the
 * item's number is in the result of the call.
 */
export function readPlanItem({ event, input }: ParsedToolCall): Plan[] {
  const id =
    readInputText(input, ["taskId", "task_id"]) ??
    /\bTask #?(\d+)/.exec(event.result)?.[1] ??
    numberOfTask(event.result);
  if (!event.success || id === undefined) return [];
  const status = readInputText(input, ["status"])?.slice(0, 40);
  return [
    { kind: "plan", item: { id: id.slice(0, 40), text: readInputText(input, ["subject"])?.slice(0, ITEM), status } },
  ];
}

function numberOfTask(result: string): string | undefined {
  const made = parseJsonObject(result)?.["task"];
  return isObject(made) && (typeof made["id"] === "string" || typeof made["id"] === "number")
    ? String(made["id"])
    : undefined;
}

/**
 * Merges all plans that an agent stated, oldest first. Returns the items of the resulting plan, without deleted items.
 */
export function mergePlans(statements: readonly Plan[]): PlanItem[] {
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
