#!/usr/bin/env node
// Starts the MCP server for an assistant. In a checkout, builds the server first when its sources have changed.
import "../scripts/node-version.js";
import { build } from "../scripts/build.js";

// A signal stops the server, also during the start. Process 1 of a container receives only signals that it handles.
if (process.argv[2] !== "check") for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(0));

await build();
await import("../dist/mcp/main.js");
