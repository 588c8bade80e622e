import type { Agent } from "../agent.ts";
import { telemetryFile } from "../parts/telemetry-env.ts";

const NAME = "pi";

/** Pi: recorded from the files of its sessions, which are followed with the key that is kept here. */
export const pi: Agent = {
  name: NAME,
  title: "Pi",
  program: "pi",
  records: "telemetry",
  own: (connection) => [telemetryFile(connection, NAME)],
  files: () => [],
  notes: () => ["Pi is recorded from the files of its sessions, while this runs: trackway import sessions --watch"],
};
