import { pathToFileURL } from "node:url";
import { Command } from "commander";
import { toolProgram } from "../../connect/parts/tools.ts";
import { loginOf } from "../../credentials/access.ts";
import { placesOf } from "../../files/places.ts";

/** `trackway mcp`: the tools for an assistant over stdio, with the server and the key of the login. */
export const mcpCommand = (): Command =>
  new Command("mcp")
    .description("serve Trackway's tools to an assistant over stdin and stdout, with your login's key")
    .action(async () => {
      const { url, apiKey } = await loginOf(placesOf());
      Object.assign(process.env, { TRACKER_URL: url, TRACKER_API_KEY: apiKey });
      // The tools are a program of their own, which reads a command line of its own.
      process.argv.splice(1, process.argv.length, toolProgram());
      await import(pathToFileURL(toolProgram()).href);
    });
