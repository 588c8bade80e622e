import { pathToFileURL } from "node:url";
import { Argument, Command, Option } from "commander";
import { AGENTS, findAgent } from "../../connect/agents/agents.ts";
import { writeAgentsMd } from "../../connect/agents-md.ts";
import { connectAgent, disconnectAgent } from "../../connect/connect.ts";
import { checkInstallation } from "../../connect/doctor.ts";
import { buildSdkLines, SDK_NAMES } from "../../connect/parts/sdks.ts";
import { getMcpProgramPath } from "../../connect/parts/tools.ts";
import { readAccess, requireLogin } from "../../credentials/access.ts";
import { EXIT, Failure } from "../../failure.ts";
import { readPlaces } from "../../files/places.ts";
import { printLines } from "../../output/print.ts";

interface Options {
  dryRun?: true;
  remove?: true;
  yes?: true;
  probe: boolean;
  fuse?: true;
  sdk?: string;
  agentsMd?: string | true;
}

const AFTER = `
Agents:
${AGENTS.map(({ name, title }) => `  ${name.padEnd(15)} ${title}`).join("\n")}

The command shows its changes before it writes. Other settings stay. Running the command again changes nothing.
--remove removes only what the command added.
Examples:
  trackway connect claude-code --dry-run
  trackway connect codex --yes
  trackway connect env --sdk langsmith --yes
  trackway connect --agents-md --dry-run
`;

/** `trackway connect`: configures an agent to record its sessions and to use the tools. */
export const connectCommand = (): Command =>
  new Command("connect")
    .description(
      "connect an agent: Trackway records the agent from its next turn on, and the agent gets Trackway's tools",
    )
    .addArgument(new Argument("[agent]", "name of the agent").argParser((name: string) => findAgent(name)))
    .option("--dry-run", "show all changes, and write nothing")
    .addOption(new Option("--remove", "remove the connection").conflicts("dryRun"))
    .option("-y, --yes", "write without asking")
    .addOption(
      new Option("--sdk <name>", "with env: print the lines that make an SDK send events to Trackway")
        .choices(SDK_NAMES)
        .conflicts("remove"),
    )
    .option(
      "--fuse",
      "add a hook that stops the agent when its claim reaches a limit; the hook waits up to 200 ms per call",
    )
    .addOption(
      new Option(
        "--agents-md [file]",
        "add a section about tracking work with Trackway to AGENTS.md, or to another file",
      ).conflicts(["sdk", "fuse"]),
    )
    .option("--no-probe", "do not send a test session")
    .addHelpText("after", AFTER)
    .action((agent: ReturnType<typeof findAgent> | undefined, options: Options) => {
      if (options.agentsMd !== undefined) return agentsMd(options.agentsMd, agent, options);
      if (agent === undefined)
        throw new Failure("Missing required argument 'agent'.", { exit: EXIT.usage, cure: "trackway connect --help" });
      if (options.sdk !== undefined) return connectSdk(agent, options.sdk, options);
      return options.remove ? disconnectAgent(agent, readPlaces()) : connectAgent(agent, readPlaces(), options);
    });

/**
 * Connects the agent `env` and prints lines for an SDK. The lines contain no key, so printing them needs no permission.
 */
async function connectSdk(agent: ReturnType<typeof findAgent>, sdk: string, options: Options): Promise<void> {
  if (agent.name !== "env")
    throw new Failure("--sdk works only with the agent env.", {
      exit: EXIT.usage,
      cure: `trackway connect env --sdk ${sdk}`,
    });
  if (!options.dryRun) await connectAgent(agent, readPlaces(), options);
  const { url } = await readAccess(readPlaces());
  printLines(buildSdkLines(sdk, url).trimEnd());
}

/** Writes the section into a file that any agent reads, so an agent cannot be named. */
async function agentsMd(file: string | true, agent: object | undefined, options: Options): Promise<void> {
  if (agent !== undefined)
    throw new Failure("An agent and --agents-md cannot be combined.", { exit: EXIT.usage, cure: "use two commands" });
  if (file === true) await writeAgentsMd("AGENTS.md", options);
  else await writeAgentsMd(file, { ...options, namedBy: "user" });
}

/** `trackway doctor`: shows connections and problems. The exit code is 1 if a problem exists. */
export const doctorCommand = (): Command =>
  new Command("doctor").description("check connections and suggest fixes").action(async () => {
    const findings = await checkInstallation(readPlaces());
    for (const { ok, text } of findings) printLines(`${ok ? "ok  " : "FAIL"} ${text}`);
    if (findings.some(({ ok }) => !ok)) process.exitCode = EXIT.failed;
  });

/** `trackway mcp`: runs the MCP server over stdio, with the server and the key of the login. */
export const mcpCommand = (): Command =>
  new Command("mcp")
    .description("run the MCP server over stdin and stdout, with the key of your login")
    .action(async () => {
      const { url, apiKey } = await requireLogin(readPlaces());
      Object.assign(process.env, { TRACKER_URL: url, TRACKER_API_KEY: apiKey });
      // The MCP server is a separate program that parses process.argv, so the arguments of this command are removed.
      process.argv.splice(1, process.argv.length, getMcpProgramPath());
      await import(pathToFileURL(getMcpProgramPath()).href);
    });
