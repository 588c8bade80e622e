import { setTimeout as sleep } from "node:timers/promises";

/** Asks again for as long as the server says that it is busy, as its clients do; on a slow machine many writers at once are too many. */
export async function served<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('"UNAVAILABLE"'))) throw error;
      await sleep(500);
    }
  }
}
