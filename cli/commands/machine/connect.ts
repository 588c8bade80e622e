import { pathToFileURL } from "node:url";
import { Argument, Command, Option } from "commander";
import { AGENTS, requireAgent } from "../../connect/agents/agents.ts";
import { updateAgentsMdSection } from "../../connect/agents-md.ts";
import { connectAgent, disconnectAgent } from "../../connect/connect.ts";
import { checkInstallation } from "../../connect/doctor.ts";
import { buildSdkSetupText, SDK_NAMES } from "../../connect/parts/sdks.ts";
import { getMcpProgramPath } from "../../connect/parts/tools.ts";
import { requireLogin, resolveLoginCredentials } from "../../credentials/access.ts";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { readUserEnvironment } from "../../files/places.ts";
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
export const createConnectCommand = (): Command =>
  new Command("connect")
    .description(
      "connect an agent: Trackway records the agent from its next turn on, and the agent gets Trackway's tools",
    )
    .addArgument(new Argument("[agent]", "name of the agent").argParser((name: string) => requireAgent(name)))
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
    .action((agent: ReturnType<typeof requireAgent> | undefined, options: Options) => {
      if (options.agentsMd !== undefined) return agentsMd(options.agentsMd, agent, options);
      if (agent === undefined)
        throw new CommandFailure("Missing required argument 'agent'.", {
          exit: EXIT_CODES.usage,
          cure: "trackway connect --help",
        });
      if (options.sdk !== undefined) return connectSdk(agent, options.sdk, options);
      return options.remove
        ? disconnectAgent(agent, readUserEnvironment())
        : connectAgent(agent, readUserEnvironment(), options);
    });

/**
 * Connects the agent `env` and prints configuration lines for an SDK. The printed lines contain no key, so printing
 * them needs no confirmation.
 */
async function connectSdk(agent: ReturnType<typeof requireAgent>, sdk: string, options: Options): Promise<void> {
  if (agent.name !== "env")
    throw new CommandFailure("--sdk works only with the agent env.", {
      exit: EXIT_CODES.usage,
      cure: `trackway connect env --sdk ${sdk}`,
    });
  if (!options.dryRun) await connectAgent(agent, readUserEnvironment(), options);
  const { url } = await resolveLoginCredentials(readUserEnvironment());
  printLines(buildSdkSetupText(sdk, url).trimEnd());
}

/**
 * Writes Trackway's section into AGENTS.md, or into the file that the user named. Any agent can read this file, so the
 * user cannot also name one agent.
 */
async function agentsMd(file: string | true, agent: object | undefined, options: Options): Promise<void> {
  if (agent !== undefined)
    throw new CommandFailure("You cannot combine an agent with --agents-md.", {
      exit: EXIT_CODES.usage,
      cure: "use two commands",
    });
  if (file === true) await updateAgentsMdSection("AGENTS.md", options);
  else await updateAgentsMdSection(file, { ...options, namedBy: "user" });
}

/** `trackway doctor`: shows connections and problems. The exit code is 1 if a problem exists. */
export const createDoctorCommand = (): Command =>
  new Command("doctor").description("check connections and suggest fixes").action(async () => {
    const findings = await checkInstallation(readUserEnvironment());
    for (const { ok, text } of findings) printLines(`${ok ? "ok  " : "FAIL"} ${text}`);
    if (findings.some(({ ok }) => !ok)) process.exitCode = EXIT_CODES.failed;
  });

/** `trackway mcp`: runs the MCP server over stdio, with the server and the key of the login. */
export const createMcpCommand = (): Command =>
  new Command("mcp")
    .description("run the MCP server over stdin and stdout, with the key of your login")
    .action(async () => {
      const { url, apiKey } = await requireLogin(readUserEnvironment());
      Object.assign(process.env, { TRACKER_URL: url, TRACKER_API_KEY: apiKey });
      // The MCP server is a separate program that parses process.argv, so the arguments of this command are removed.
      process.argv.splice(1, process.argv.length, getMcpProgramPath());
      await import(pathToFileURL(getMcpProgramPath()).href);
    });
