import { type Command, InvalidArgumentError, Option } from "commander";
import {
  ABSOLUTE_FORMS,
  AHEAD_FORMS,
  DAY_FORMS,
  MOMENT_FORMS,
  parseAbsolute,
  parseMoment,
  parseRelative,
} from "../formats/moments.ts";

/** Options of every command that prints an answer. */
export interface Answering {
  json?: true;
}

/** Options of every command that lists. */
export interface Paged extends Answering {
  limit: number;
  after?: string;
}

/** A whole number between two others, as the value of an option. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
  };

/** A value of an option that may be given several times. */
export const gathered = (value: string, before: string[] = []): string[] => [...before, value];

const noTime = (forms: string) => new InvalidArgumentError(`It is ${forms}.`);

/** A moment as an option gives it. */
export interface Moment {
  /** ISO 8601 in UTC. */
  at: string;
  text: string;
  /** True if the text means another moment later. */
  isRelative: boolean;
}

/** Reads a moment for an option, with the text that was given; `7d` and `P7D` count back from now. */
export function givenMoment(text: string): Moment {
  const at = parseMoment(text, new Date(), "back");
  if (!at) throw noTime(MOMENT_FORMS);
  return { at: at.toISOString(), text, isRelative: parseAbsolute(text) === undefined };
}

/** Reads a moment for an option. */
export const moment = (text: string): string => givenMoment(text).at;

/** Reads how long from now a moment is, for an option. */
export function ahead(text: string): string {
  const at = text.startsWith("-") ? undefined : parseRelative(text, new Date(), "ahead");
  if (!at) throw noTime(AHEAD_FORMS);
  return at.toISOString();
}

/** Reads a day, or none, for an option; `7d` and `P7D` count ahead of today. */
export function day(text: string): string {
  if (text === "none") return text;
  const at = text.includes(":") ? undefined : parseMoment(text, new Date(), "ahead");
  if (!at) throw noTime(`${DAY_FORMS}, or none`);
  return at.toISOString().slice(0, 10);
}

/** Reads a moment that does not depend on the clock, for an option. */
export function date(text: string): string {
  const at = parseAbsolute(text);
  if (!at) throw noTime(ABSOLUTE_FORMS);
  return at.toISOString();
}

/** Adds the options of a list. */
export const paged = (command: Command, most = 100): Command =>
  command
    .addOption(
      new Option("--limit <n>", `how many, 1 to ${most}`).argParser(wholeNumber(1, most)).default(Math.min(25, most)),
    )
    .option("--after <cursor>", "go on behind this cursor, which the page before ended with");

/** Adds the option of JSON. */
export const withJson = (command: Command): Command =>
  command.option("--json", "answer one line of JSON, as docs/cli.md describes");

/** The most that a fence can be, an Int of GraphQL. */
const MOST_FENCE = 2_147_483_647;

/** Adds the options of what may be done to an issue that is held. */
export const fenced = (command: Command): Command =>
  command
    .addOption(
      new Option("--fence <n>", "the fence that the claim returned; remembered on this machine unless given").argParser(
        wholeNumber(0, MOST_FENCE),
      ),
    )
    .addOption(new Option("--force", "without a fence, whoever holds the issue").conflicts("fence"));

/** The options of such a command. */
export interface Fenced extends Answering {
  fence?: number;
  force?: true;
}
