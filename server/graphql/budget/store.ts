/** The two budgets every principal has. */
export type Kind = "requests" | "points";

/** Whose budgets: a user in an organization, or an account that has none. */
export interface Holder {
  organizationId: string;
  userId: string;
}

/** A request for a grant from one budget. */
export interface Ask {
  kind: Kind;
  /** The budget of an hour; it is refilled continuously. */
  limit: number;
  /** The least that is of use. */
  need: number;
  /** The unused rest of an earlier grant, handed back. */
  returned: number;
}

/** A grant: nothing when less than needed is left; else the need or, while plenty is left, more. */
export interface Grant {
  kind: Kind;
  granted: number;
  /** The rest beside it. */
  level: number;
}

/** The store of budgets. It never grants more than there is, however many processes ask. */
export interface BudgetStore {
  take(holder: Holder, asks: readonly Ask[]): Promise<readonly Grant[]>;
}

/** A grant may be this share of the rest: few requests while plenty is left, exact near the limit. */
export const LEASE_SHARE = 1 / 50;

export const HOUR_MS = 3_600_000;
