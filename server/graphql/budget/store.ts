/** The two budgets every principal has. */
export type Kind = "requests" | "points";

/** Whose budgets: a user in an organization, or an account that has none. */
export interface Holder {
  organizationId: string;
  userId: string;
}

/** What one budget is asked for. */
export interface Ask {
  kind: Kind;
  /** The budget of an hour; it is refilled continuously. */
  limit: number;
  /** What is needed: less than this is of no use. */
  need: number;
  /** What is left of an earlier grant, handed back. */
  returned: number;
}

/** What was granted: nothing when less than needed is left, else what was needed or, while plenty is left, more. */
export interface Grant {
  kind: Kind;
  granted: number;
  /** What is left beside it. */
  level: number;
}

/** Where budgets are kept. Never grants more than there is, however many processes ask. */
export interface BudgetStore {
  take(holder: Holder, asks: readonly Ask[]): Promise<readonly Grant[]>;
}

/** A grant may be this share of what is left: few trips while plenty is left, exact near the limit. */
export const LEASE_SHARE = 1 / 50;

export const HOUR_MS = 3_600_000;
