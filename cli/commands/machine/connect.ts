import { pathToFileURL } from "node:url";
import { Argument, Command, Option } from "commander";
import { AGENTS, agentNamed } from "../../connect/agents/agents.ts";
import { writeAgentsMd } from "../../connect/agents-md.ts";
import { connect, disconnect } from "../../connect/connect.ts";
import { examine } from "../../connect/doctor.ts";
import { linesFor, SDK_NAMES } from "../../connect/parts/sdks.ts";
import { toolProgram } from "../../connect/parts/tools.ts";
import { accessOf, loginOf } from "../../credentials/access.ts";
import { EXIT, Failure } from "../../failure.ts";
import { placesOf } from "../../files/places.ts";
import { print } from "../../output/print.ts";

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

It shows what it will write before it writes. What was there is kept until --remove.
Connecting twice changes nothing; --remove takes out what was put in, and nothing else.
Examples:
  trackway connect claude-code --dry-run
  trackway connect codex --yes
  trackway connect env --sdk langsmith --yes
  trackway connect --agents-md --dry-run
`;

/** `trackway connect`: has an agent record itself here, and gives it the tools. */
export const connectCommand = (): Command =>
  new Command("connect")
    .description("connect an agent: it is recorded from its next turn on, and has Trackway's tools")
    .addArgument(new Argument("[agent]", "which").argParser((name: string) => agentNamed(name)))
    .option("--dry-run", "only show what would be written, all of it")
    .addOption(new Option("--remove", "take it back").conflicts("dryRun"))
    .option("-y, --yes", "write without asking")
    .addOption(
      new Option("--sdk <name>", "with env: the lines by which an SDK sends here")
        .choices(SDK_NAMES)
        .conflicts("remove"),
    )
    .option("--fuse", "have a hook stop the agent when its claim reached a limit; it waits 200 ms at most, each call")
    .addOption(
      new Option(
        "--agents-md [file]",
        "put a section into AGENTS.md, or a file of another name: how work is tracked here",
      ).conflicts(["sdk", "fuse"]),
    )
    .option("--no-probe", "do not send a first session to see that it arrives")
    .addHelpText("after", AFTER)
    .action((agent: ReturnType<typeof agentNamed> | undefined, options: Options) => {
      if (options.agentsMd !== undefined) return agentsMd(options.agentsMd, agent, options);
      if (agent === undefined)
        throw new Failure("Missing required argument 'agent'.", { exit: EXIT.usage, cure: "trackway connect --help" });
      if (options.sdk !== undefined) return connectSdk(agent, options.sdk, options);
      return options.remove ? disconnect(agent, placesOf()) : connect(agent, placesOf(), options);
    });

/** The lines hold no key, so that showing them needs no right. */
async function connectSdk(agent: ReturnType<typeof agentNamed>, sdk: string, options: Options): Promise<void> {
  if (agent.name !== "env")
    throw new Failure("--sdk is for agents of your own.", {
      exit: EXIT.usage,
      cure: `trackway connect env --sdk ${sdk}`,
    });
  if (!options.dryRun) await connect(agent, placesOf(), options);
  const { url } = await accessOf(placesOf());
  print(linesFor(sdk, url).trimEnd());
}

/** The section is for whichever agent reads the file. */
async function agentsMd(file: string | true, agent: object | undefined, options: Options): Promise<void> {
  if (agent !== undefined)
    throw new Failure("An agent and --agents-md do not go together.", { exit: EXIT.usage, cure: "two commands" });
  await writeAgentsMd(file === true ? "AGENTS.md" : file, options);
}

/** `trackway doctor`: what is connected, and what is wrong. Exit code 1 when something is. */
export const doctorCommand = (): Command =>
  new Command("doctor")
    .description("say what is connected, what is wrong, and what to do about it")
    .action(async () => {
      const findings = await examine(placesOf());
      for (const { ok, text } of findings) print(`${ok ? "ok  " : "FAIL"} ${text}`);
      if (findings.some(({ ok }) => !ok)) process.exitCode = EXIT.failed;
    });

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
