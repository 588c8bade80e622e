import type { App } from "../../server/app.ts";
import { isRunning, startServer } from "./server.ts";

let strict: App | undefined;

/** A server that takes no strangers, counts guesses and serves metrics, shared by the tests of a file. */
export async function strictServer(): Promise<App> {
  if (!strict || !isRunning(strict)) strict = await startServer({ SIGNUP: "off", LOGIN_THROTTLE: "on", METRICS: "on" });
  return strict;
}
