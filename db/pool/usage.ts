/** Time after which what a tenant held counts half. */
const HALF_LIFE_MS = 5_000;
/** Tenants that are remembered before those that count for nothing are forgotten. */
const REMEMBERED = 1_000;
const NOTHING_MS = 1;

/** For how long each tenant lately held connections. */
export interface Usage {
  /** Adds what a tenant held until now. */
  add(tenant: string, milliseconds: number, now: number): void;
  /** Milliseconds that it held, the older the less. */
  of(tenant: string, now: number): number;
}

/** Usage of tenants, of nobody yet. */
export function createUsage(): Usage {
  const used = new Map<string, { milliseconds: number; at: number }>();
  const of = (tenant: string, now: number) => {
    const known = used.get(tenant);
    return known ? known.milliseconds * 2 ** ((known.at - now) / HALF_LIFE_MS) : 0;
  };
  const forget = (now: number) => {
    for (const tenant of used.keys()) if (of(tenant, now) < NOTHING_MS) used.delete(tenant);
  };
  return {
    of,
    add(tenant, milliseconds, now) {
      if (used.size >= REMEMBERED && !used.has(tenant)) forget(now);
      used.set(tenant, { milliseconds: of(tenant, now) + milliseconds, at: now });
    },
  };
}
