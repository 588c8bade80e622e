#!/usr/bin/env node
// Plain JavaScript, so that npx can start it. The packages are loaded first: through the TypeScript loader, which is
// only for our own files, they would take twice as long.
import "@modelcontextprotocol/sdk/server/index.js";
import "@modelcontextprotocol/sdk/server/stdio.js";
import "zod";
import "uuidv7";

// Node strips types by itself from version 22.18 on, though not below node_modules.
if (!process.features.typescript || import.meta.url.includes("/node_modules/")) {
  const { register } = await import("tsx/esm/api");
  register();
}
await import("./main.ts");
