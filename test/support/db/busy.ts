import { setTimeout as sleep } from "node:timers/promises";

/**
 * Repeats a request while the server responds that the server is busy, as clients do. On a slow machine, many
 * concurrent writers overload the server.
 */
export async function retryWhileBusy<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Error && /"UNAVAILABLE"|: 503 /.test(error.message))) throw error;
      await sleep(500);
    }
  }
}
