// Required by a process of node: its clocks are moved by what CLOCK_FILE holds, as {"set": ms, "passed": ms}. NTP or a person
// sets the wall clock alone; time that passes moves the monotonic clock too.
const { readFileSync } = require("node:fs");
const Real = Date;
const [now, monotonic] = [Real.now.bind(Real), performance.now.bind(performance)];
let [set, passed] = [0, 0];
const look = () => {
  try {
    ({ set, passed } = JSON.parse(readFileSync(process.env.CLOCK_FILE, "utf8")));
  } catch {
    // It is being written.
  }
};
look();
setInterval(look, 50).unref();
globalThis.Date = class Moved extends Real {
  constructor(...given) {
    if (given.length === 0) super(now() + set + passed);
    else super(...given);
  }
  static now() {
    return now() + set + passed;
  }
};
performance.now = () => monotonic() + passed;
