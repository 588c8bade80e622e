import type { Principal } from "../../auth/principal.ts";
import { rateLimited } from "../../errors.ts";
import { MAX_POINTS } from "../document/complexity.ts";
import type { Budget } from "./budget.ts";
import type { Standing } from "./held-budget.ts";
import type { Holder, Kind } from "./store.ts";

/** Takes one request's cost from its principal's budgets, and reports them in its answer. */
export interface Meter {
  /** Takes the request itself. @throws rateLimited when none is left. */
  countRequest(): Promise<void>;
  /**
   * Takes the points of an operation; one that costs too much takes none. `cheaper` says what would cost at most so many.
   * @throws rateLimited
   */
  charge(points: number, cheaper: (most: number) => string): Promise<void>;
  /** Takes points for work whose amount was known only when it was done, as far as there are some left. */
  chargeDone(points: number): Promise<void>;
  /** Takes points for what the operation turned out to cost besides, or all that are left. @throws rateLimited */
  chargeMore(points: number): Promise<void>;
  standing(kind: Kind): Standing;
  /** The headers of every answer, names and values in turn: limits, rest, resets in epoch ms, the cost. */
  headers(): string[];
  /** Points of the operation, 0 before they are known. */
  complexity(): number;
  holder: Holder | undefined;
}

/** A meter of one request; without a principal it shows budgets untouched. */
export function newMeter(budget: Budget, principal?: Principal): Meter {
  const holder = principal && holderOf(principal);
  let complexity = 0;
  const standing = (kind: Kind) => budget.standing(holder, kind);
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

/** Budgets belong to the user in the organization: more keys or tokens do not give more. */
const holderOf = ({ accountId, organizationId, userId }: Principal): Holder => ({
  organizationId: organizationId ?? accountId,
  userId: userId ?? accountId,
});

const secondsUntil = (missing: number, limit: number): number =>
  Math.max(1, Math.ceil((missing * 3_600) / Math.max(limit, 1)));

const headersOf = (name: string, { limit, remaining, reset }: Standing): string[] => [
  `X-RateLimit-${name}-Limit`,
  String(limit),
  `X-RateLimit-${name}-Remaining`,
  String(remaining),
  `X-RateLimit-${name}-Reset`,
  String(reset),
];
