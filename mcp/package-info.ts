import { readFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** How this server introduces itself. */
export const SERVER_INFO = { name: "trackway", title: "Trackway", version };
