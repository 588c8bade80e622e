const UNITS: [ms: number, name: string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
];

/** Formats a duration: `38 ms`, `5.9 s`, `3 m 58 s`, `2 h 05 m`. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return "–";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m ${padTwoDigits(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ${padTwoDigits(minutes % 60)} m`;
  return `${Math.floor(minutes / 1_440)} d ${padTwoDigits(Math.floor((minutes % 1_440) / 60))} h`;
}

/** Formats a time within a session: `0:06.4`, `1:02:03.0`. */
export function formatTimeOffset(ms: number): string {
  const tenths = Math.max(0, Math.floor(ms / 100));
  const [hours, minutes, seconds] = [
    Math.floor(tenths / 36_000),
    Math.floor(tenths / 600) % 60,
    Math.floor(tenths / 10) % 60,
  ];
  const end = `${padTwoDigits(seconds)}.${tenths % 10}`;
  return hours > 0 ? `${hours}:${padTwoDigits(minutes)}:${end}` : `${minutes}:${end}`;
}

/** Formats a remaining time: `29:57`, `2:05:00`. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const end = `${padTwoDigits(minutes)}:${padTwoDigits(seconds % 60)}`;
  return hours > 0 ? `${hours}:${end}` : end;
}

const padTwoDigits = (n: number): string => String(n).padStart(2, "0");

/** Formats an age for a narrow column: `5 min`, `3 h`, or the date. */
export function formatAge(at: number, now: number): string {
  const ms = now - at;
  if (ms < 60_000) return "now";
  const unit = UNITS.find(([size]) => ms >= size) ?? [60_000, "m"];
  const count = Math.floor(ms / unit[0]);
  if (unit[1] === "m") return `${count} min`;
  return unit[1] === "d" && count > 30 ? day.format(at) : `${count} ${unit[1]}`;
}

/** Formats an age for a sentence: `just now`, `5 min ago`, or the date. */
export function formatAgeInSentence(at: number, now: number): string {
  const short = formatAge(at, now);
  if (short === "now") return "just now";
  return / (min|h|d)$/.test(short) ? `${short} ago` : short;
}

const day = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const clockTime = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hour12: false,
});

/** Formats a date and time in full, for a tooltip. */
export const formatExactTime = (at: number): string => full.format(at);
export const formatTimeOfDay = (at: number): string => clockTime.format(at);

/** Formats a count with at most four digits: `47`, `96.4k`, `1.24M`. */
export function formatCount(n: number): string {
  if (n < 10_000) return String(n);
  if (n < 1_000_000) return `${(n / 1_000).toFixed(n < 100_000 ? 1 : 0)}k`;
  return `${(n / 1_000_000).toFixed(2)}M`;
}

/** Formats a size: `159 B`, `1.4 kB`, `2.0 MB`. */
export function formatBytes(n: number): string {
  if (n < 1_000) return `${n} B`;
  return n < 1_000_000 ? `${(n / 1_000).toFixed(1)} kB` : `${(n / 1_000_000).toFixed(1)} MB`;
}

/** Formats a cost in US dollars. */
export const formatCost = (n: number): string => (n > 0 && n < 0.01 ? "<$0.01" : `$${n.toFixed(2)}`);

/** Formats a number with a noun: `1 failure`, `2 failures`. */
export const formatPlural = (n: number, one: string): string => `${n.toLocaleString()} ${one}${n === 1 ? "" : "s"}`;

/** Truncates a text to a number of characters, with an ellipsis. */
export const truncate = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;
