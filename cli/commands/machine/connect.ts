import { Argument, Command, Option } from "commander";
import { AGENTS, agentNamed } from "../../connect/agents/agents.ts";
import { connect } from "../../connect/connect.ts";
import { disconnect } from "../../connect/disconnect.ts";
import { placesOf } from "../../files/places.ts";

interface Options {
  dryRun?: true;
  remove?: true;
  yes?: true;
  probe: boolean;
}

const AFTER = `
Agents:
${AGENTS.map(({ name, title }) => `  ${name.padEnd(15)} ${title}`).join("\n")}

It shows what it will write before it writes. What was there is kept until --remove.
Connecting twice changes nothing; --remove takes out what was put in, and nothing else.
Examples:
  trackway connect claude-code --dry-run
  trackway connect codex --yes
`;

/** `trackway connect`: has an agent record itself here, and gives it the tools. */
export const connectCommand = (): Command =>
  new Command("connect")
    .description("connect an agent: it is recorded from its next turn on, and has Trackway's tools")
    .addArgument(new Argument("<agent>", "which").argParser((name: string) => agentNamed(name)))
    .option("--dry-run", "only show what would be written, all of it")
    .addOption(new Option("--remove", "take it back").conflicts("dryRun"))
    .option("-y, --yes", "write without asking")
    .option("--no-probe", "do not send a first session to see that it arrives")
    .addHelpText("after", AFTER)
    .action((agent: ReturnType<typeof agentNamed>, options: Options) =>
      options.remove ? disconnect(agent, placesOf()) : connect(agent, placesOf(), options),
    );
