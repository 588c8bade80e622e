import type { App } from "../../server/app.ts";
import { isRunning, startServer } from "./server.ts";

let strict: App | undefined;

/** Returns a server with closed sign-up, limits for password guesses and metrics, which the tests of a file share. */
export async function startStrictServer(): Promise<App> {
  if (!strict || !isRunning(strict)) strict = await startServer({ SIGNUP: "off", LOGIN_THROTTLE: "on", METRICS: "on" });
  return strict;
}
