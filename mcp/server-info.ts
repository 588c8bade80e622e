import manifest from "../package.json" with { type: "json" };

/** The name and version this server introduces itself with. */
export const SERVER_INFO = { name: "trackway", title: "Trackway", version: manifest.version };

/** The instructions a client gets once about all tools. */
export const INSTRUCTIONS = `Trackway tracks issues and records agent sessions. Issues are named by identifier (ENG-12); teams, states, users, projects and labels by name or key. Lists answer next_cursor when there is more: pass it as cursor. Errors say what to do next.`;
