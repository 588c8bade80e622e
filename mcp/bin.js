#!/usr/bin/env node
// The MCP server as assistants start it. In a checkout it is built first where its sources have changed.
import "../scripts/node-version.js";
import { build } from "../scripts/build.js";

await build();
await import("../dist/mcp/main.js");
