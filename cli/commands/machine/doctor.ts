import { Command } from "commander";
import { examine } from "../../connect/doctor.ts";
import { EXIT } from "../../failure.ts";
import { placesOf } from "../../files/places.ts";
import { print } from "../../output/print.ts";

/** `trackway doctor`: what is connected, and what is wrong. Exit code 1 when something is. */
export const doctorCommand = (): Command =>
  new Command("doctor")
    .description("say what is connected, what is wrong, and what to do about it")
    .action(async () => {
      const findings = await examine(placesOf());
      for (const { ok, text } of findings) print(`${ok ? "ok  " : "FAIL"} ${text}`);
      if (findings.some(({ ok }) => !ok)) process.exitCode = EXIT.failed;
    });
