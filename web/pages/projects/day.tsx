const near = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", timeZone: "UTC" });
const far = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeZone: "UTC" });

/** A day such as `2026-12-04`, in words: with its year where that is another one. */
export function Day({ at }: { at: string }) {
  const words = at.startsWith(String(new Date().getFullYear())) ? near : far;
  return <time dateTime={at}>{words.format(Date.parse(at))}</time>;
}
