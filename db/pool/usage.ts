/** Time after which the milliseconds that a tenant held count half. */
const HALF_LIFE_MS = 5_000;
/** Tenants that are kept: those that used a connection last. A tenant that is forgotten counts as new. */
const KEPT = 10_000;

/** Less than this counts for nothing. */
const FEW_MS = 10;

/** For how long each tenant lately held connections. */
export interface Usage {
  /** Adds what a tenant held until now. */
  add(tenant: string, milliseconds: number, now: number): void;
  /** Milliseconds that it held, the older the less. */
  of(tenant: string, now: number): number;
  /** Tells whether any other tenant held connections lately. */
  hasOther(tenant: string, now: number): boolean;
}

/** Usage of tenants, of nobody yet. */
export function createUsage(): Usage {
  const used = new Map<string, { milliseconds: number; at: number }>();
  const of = (tenant: string, now: number) => {
    const known = used.get(tenant);
    return known ? known.milliseconds * 2 ** ((known.at - now) / HALF_LIFE_MS) : 0;
  };
  return {
    of,
    hasOther(tenant, now) {
      for (const other of used.keys()) if (other !== tenant && of(other, now) >= FEW_MS) return true;
      return false;
    },
    add(tenant, milliseconds, now) {
      const sum = of(tenant, now) + milliseconds;
      // Put last: the first of the map is the one that used a connection longest ago.
      used.delete(tenant);
      used.set(tenant, { milliseconds: sum, at: now });
      if (used.size <= KEPT) return;
      const [oldest = ""] = used.keys();
      used.delete(oldest);
    },
  };
}
