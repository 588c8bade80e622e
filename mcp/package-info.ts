import manifest from "../package.json" with { type: "json" };

/** How this server introduces itself. */
export const SERVER_INFO = { name: "trackway", title: "Trackway", version: manifest.version };
