const near = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", timeZone: "UTC" });
const far = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeZone: "UTC" });

/** Day such as `2026-12-04`, written out. The year is shown unless it is the current year. */
export function DayText({ at }: { at: string }) {
  const words = at.startsWith(String(new Date().getFullYear())) ? near : far;
  return <time dateTime={at}>{words.format(Date.parse(at))}</time>;
}
