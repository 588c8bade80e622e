import { getOwnProperty } from "../../../formats/own.ts";
import type { Selection } from "../../read/selection.ts";
import type { BudgetKind } from "../budget/store.ts";
import type { GraphQLRequest } from "../request.ts";

/** Returns the JSON text of a root field that needs no database. Undefined for every other field. */
export const resolveWithoutDatabase = (request: GraphQLRequest, root: Selection): string | undefined => {
  const value = getOwnProperty(LOCAL, root.field)?.(request);
  return value && JSON.stringify(picked(value, root.children));
};

const LOCAL: Readonly<Record<string, (request: GraphQLRequest) => Readonly<Record<string, unknown>>>> = {
  rateLimitStatus,
};

function picked(value: unknown, selections: readonly Selection[]): unknown {
  if (Array.isArray(value)) return value.map((each) => picked(each, selections));
  if (selections.length === 0 || typeof value !== "object" || value === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    selections.map(({ key, field, constant, children }) => [
      key,
      constant === undefined ? picked(getOwnProperty(members, field), children) : JSON.parse(constant),
    ]),
  );
}

function rateLimitStatus({ meter }: GraphQLRequest): Record<string, unknown> {
  const limitOf = (type: string, kind: BudgetKind, requestedAmount: number) => {
    const { limit, remaining, reset } = meter.standing(kind);
    return { type, requestedAmount, allowedAmount: limit, period: 3_600_000, remainingAmount: remaining, reset };
  };
  return {
    identifier: meter.holder?.userId ?? null,
    kind: "user",
    limits: [limitOf("requests", "requests", 1), limitOf("complexity", "points", meter.complexity())],
  };
}
