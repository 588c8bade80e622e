import { ToolError } from "../errors.ts";

const DURATION = /^P(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?)?$/i;

/**
 * A moment in the past: an ISO date or time, or a duration back from now (`P7D`).
 * @returns ISO 8601 in UTC.
 */
export function parsePastTime(name: string, text: string): string {
  const then = addDuration(text, -1) ?? new Date(text);
  if (Number.isNaN(then.getTime())) throw new ToolError(`${name} "${text}" is no date. Write 2026-01-31 or P7D.`);
  return then.toISOString();
}

/**
 * A calendar day: an ISO date, or a duration ahead of today (`P7D`).
 * @returns YYYY-MM-DD.
 */
export function parseDay(name: string, text: string): string {
  const then = addDuration(text, 1) ?? (/^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : new Date(Number.NaN));
  if (Number.isNaN(then.getTime())) throw new ToolError(`${name} "${text}" is no day. Write 2026-01-31 or P7D.`);
  return then.toISOString().slice(0, 10);
}

function addDuration(text: string, direction: 1 | -1): Date | undefined {
  const parts = DURATION.exec(text);
  if (!parts || text.length < 3) return undefined;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  const then = new Date();
  then.setUTCMonth(then.getUTCMonth() + direction * (years * 12 + months));
  const minutesAll = ((weeks * 7 + days) * 24 + hours) * 60 + minutes;
  return new Date(then.getTime() + direction * minutesAll * 60_000);
}
