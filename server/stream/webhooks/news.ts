import { createSignal } from "../../../concurrency/signal.ts";

/** How often all organizations are looked at: retries come due, claims of dead processes run out, and wakes get lost. */
const POLL_MS = 1_000;
/** When more of them are told of, the next look is into all. */
const MOST = 8;

/** In which organizations something may be due. */
export interface News {
  /** Says that something may be due in one now. */
  tell(organizationId: string): void;
  /** Says that something may be due anywhere: the next look goes everywhere, whenever it comes. */
  tellAll(): void;
  /** Those to look at now, which counts as looked at; undefined for all of them. */
  take(): string[] | undefined;
  /** Resolves when there are some to look at. */
  wait(): Promise<void>;
  /** Ends the waiting. */
  end(): void;
}

/**
 * Gathers where to look next. A look into all organizations asks every node of a database that lies on several: it comes
 * once a second, and not with each change of one of them.
 */
export function createNews(now = () => performance.now()): News {
  const signal = createSignal();
  let told = new Set<string>();
  let everywhere = true;
  let looked = now();
  const left = () => Math.max(0, looked + POLL_MS - now());
  return {
    tell(organizationId) {
      if (told.size < MOST) told.add(organizationId);
      else everywhere = true;
      signal.set();
    },
    tellAll() {
      everywhere = true;
    },
    take() {
      const some = [...told];
      told = new Set();
      if (!everywhere && left() > 0) return some;
      everywhere = false;
      looked = now();
      return undefined;
    },
    wait: () => signal.wait(left()),
    end: signal.set,
  };
}
