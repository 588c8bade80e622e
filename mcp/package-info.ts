import manifest from "../package.json" with { type: "json" };

/** The name and version this server introduces itself with. */
export const SERVER_INFO = { name: "trackway", title: "Trackway", version: manifest.version };
