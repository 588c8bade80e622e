import type { App } from "../../server/app.ts";
import { startServer } from "./server.ts";

let strict: Promise<App> | undefined;

/** A server that takes no strangers, counts guesses and serves metrics, shared by the tests of those. */
export function strictServer(): Promise<App> {
  strict ??= startServer({ SIGNUP: "off", LOGIN_THROTTLE: "on", METRICS: "on" });
  return strict;
}
