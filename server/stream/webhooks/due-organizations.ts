import { createSignal } from "../../../concurrency/signal.ts";

/**
 * The interval at which all organizations are checked: retries come due, claims of dead processes run out, wakes get
 * lost.
 */
const POLL_MS = 1_000;
/** The most organizations that are kept by name. Beyond, the next check is of all. */
const MOST = 8;

/** The organizations in which something may be due. */
export interface DueOrganizations {
  /** Adds one in which something may be due now. */
  add(organizationId: string): void;
  /** Has the next check cover all organizations, whenever it comes. */
  addAll(): void;
  /** Takes the organizations to check now; undefined for all of them. */
  take(): string[] | undefined;
  /** Resolves when there are some to check. */
  wait(): Promise<void>;
  /** Ends the waiting. */
  end(): void;
}

/**
 * Gathers the organizations to check next. A check of all asks every node of a database that lies on several: it comes
 * once a second, and not with each change of one of them.
 */
export function createDueOrganizations(now = () => performance.now()): DueOrganizations {
  const signal = createSignal();
  let added = new Set<string>();
  let everywhere = true;
  let looked = now();
  const left = () => Math.max(0, looked + POLL_MS - now());
  return {
    add(organizationId) {
      if (added.size < MOST) added.add(organizationId);
      else everywhere = true;
      signal.set();
    },
    addAll() {
      everywhere = true;
    },
    take() {
      const some = [...added];
      added = new Set();
      if (!everywhere && left() > 0) return some;
      everywhere = false;
      looked = now();
      return undefined;
    },
    wait: () => signal.wait(left()),
    end: signal.set,
  };
}
