// Loaded before a server, it puts the server's clock wrong by CLOCK_SKEW_MS.
const skew = Number(process.env["CLOCK_SKEW_MS"] ?? 0);
const { now } = Date;

globalThis.Date = class extends Date {
  /** @param {any[]} given */
  constructor(...given) {
    // @ts-expect-error: what is given goes on as it came.
    super(...(given.length > 0 ? given : [now() + skew]));
  }

  static now() {
    return now() + skew;
  }
};
