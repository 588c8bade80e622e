import type { Principal } from "../../auth/principal.ts";
import { rateLimited } from "../../errors.ts";
import { MAX_POINTS } from "../document/complexity.ts";
import type { HourlyBudgets } from "./budget.ts";
import type { BudgetStatus } from "./held-budget.ts";
import type { BudgetHolder, BudgetKind } from "./store.ts";

/** Charges the cost of one request to its principal's budgets, and reports the budgets in the response. */
export interface RequestMeter {
  /** Charges one request. @throws rateLimited if no request is left. */
  countRequest(): Promise<void>;
  /**
   * Charges the points of an operation. An operation that costs too much is charged nothing. `cheaper` suggests how
   * to stay within a number of points.
   * @throws rateLimited
   */
  charge(points: number, cheaper: (most: number) => string): Promise<void>;
  /** Charges points for work whose cost is known only afterwards. Charges at most the remaining points. */
  chargeDone(points: number): Promise<void>;
  /**
   * Charges points for extra costs that a running operation causes. If too few points are left, charges all of them.
   * @throws rateLimited
   */
  chargeMore(points: number): Promise<void>;
  standing(kind: BudgetKind): BudgetStatus;
  /**
   * Headers of every response, names and values in turn: limits, remaining amounts, reset times in milliseconds since
   * 1970, and the cost.
   */
  headers(): string[];
  /** Points of the operation; 0 while unknown. */
  complexity(): number;
  holder: BudgetHolder | undefined;
}

/** Creates the meter of one request. Without a principal the meter shows untouched budgets. */
export function createRequestMeter(budget: HourlyBudgets, principal?: Principal): RequestMeter {
  const holder = principal && holderOf(principal);
  let complexity = 0;
  const standing = (kind: BudgetKind) => budget.standing(holder, kind);
  return {
    holder,
    standing,
    complexity: () => complexity,
    async countRequest() {
      if (!holder || (await budget.spend(holder, "requests", 1))) return;
      const { limit, remaining } = standing("requests");
      const wait = secondsUntil(1 - remaining, limit);
      throw rateLimited(
        `all ${limit} requests of the hour are used; the next is free in ${wait} s. Ask for more in one request: larger pages, several fields`,
        wait,
      );
    },
    async charge(points, cheaper) {
      complexity = points;
      if (points > MAX_POINTS) {
        const cost = `the query costs ${points} points, and one query may cost ${MAX_POINTS}`;
        throw rateLimited(`${cost}; ${cheaper(MAX_POINTS)}`, 1);
      }
      if (!holder || (await budget.spend(holder, "points", points))) return;
      const { limit, remaining } = standing("points");
      const wait = secondsUntil(points - remaining, limit);
      const cost = `the query costs ${points} points, and ${remaining} of the ${limit} an hour are left`;
      throw rateLimited(`${cost}; ${cheaper(remaining)}, or ask again in ${wait} s`, wait);
    },
    async chargeDone(points) {
      complexity += points;
      if (holder && points > 0) await budget.spend(holder, "points", Math.min(points, standing("points").remaining));
    },
    async chargeMore(points) {
      complexity += points;
      if (points === 0 || !holder || (await budget.spend(holder, "points", points))) return;
      const { limit, remaining } = standing("points");
      await budget.spend(holder, "points", remaining);
      const wait = secondsUntil(points, limit);
      const cost = `the search for secrets in the text costs ${points} points, and ${remaining} of the ${limit} an hour were left`;
      throw rateLimited(`${cost}; send the text in smaller parts, or ask again in ${wait} s`, wait);
    },
    headers: () => [
      ...headersOf("Requests", standing("requests")),
      ...headersOf("Complexity", standing("points")),
      ...["X-Complexity", String(complexity)],
    ],
  };
}

/** Budgets belong to the user in the organization, so additional keys or tokens do not raise a budget. */
const holderOf = ({ accountId, organizationId, userId }: Principal): BudgetHolder => ({
  organizationId: organizationId ?? accountId,
  userId: userId ?? accountId,
});

const secondsUntil = (missing: number, limit: number): number =>
  Math.max(1, Math.ceil((missing * 3_600) / Math.max(limit, 1)));

const headersOf = (name: string, { limit, remaining, reset }: BudgetStatus): string[] => [
  `X-RateLimit-${name}-Limit`,
  String(limit),
  `X-RateLimit-${name}-Remaining`,
  String(remaining),
  `X-RateLimit-${name}-Reset`,
  String(reset),
];
