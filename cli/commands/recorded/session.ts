import { Command, Option } from "commander";
import { isUuid } from "../../../formats/uuid.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Paged, paged, wholeNumber, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { type Depths, eventLine, eventsOf } from "../../sessions/events.ts";
import { follow } from "../../sessions/follow.ts";
import { changeLines, sessionLine, sessionOf, wholeRow } from "../../sessions/session.ts";
import { worker } from "../../work/caller.ts";
import { deleteCommand } from "./delete.ts";

interface Options extends Paged {
  follow?: true;
  for?: number;
}

const AFTER = `
Events are indented below what called them; texts are cut at 160 characters. With --follow and --json each event is a line.
Examples:
  trackway session 0198c0de-0000-7000-8000-000000000002
  trackway session 0198c0de-0000-7000-8000-000000000002 --follow
`;

/** `trackway session`: the events of one recorded session. */
export const sessionCommand = (): Command =>
  withJson(paged(new Command("session").description("show the events of a recorded session, the oldest first"), 1_000))
    .argument("<id>", "of the session, or as its agent spells it")
    .option("-f, --follow", "go on with what comes, until interrupted")
    .addOption(new Option("--for <seconds>", "with --follow: end then").argParser(wholeNumber(1, 86_400)))
    .addHelpText("after", AFTER)
    .action(run)
    .addCommand(deleteCommand());

async function run(text: string, options: Options): Promise<void> {
  const { json, limit: first, after } = options;
  if (after !== undefined && !isUuid(after))
    throw new Failure("--after is no cursor of this list.", { exit: EXIT.usage, cure: "the id of an event" });
  const who = await worker();
  const session = await sessionOf(who, text);
  if (options.follow) return follow(who, session.id, options);
  const { events, next } = await eventsOf(who, session.id, { first, after });
  const depths: Depths = new Map();
  answer(json, { session: wholeRow(session), events, next }, () => [
    sessionLine(session),
    ...changeLines(session),
    ...events.map((event) => eventLine(event, depths)),
    ...(next ? [`more: the same with --after ${next}`] : []),
  ]);
}
