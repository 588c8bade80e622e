import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Mail } from "../../mail/mail.ts";
import { type MailServer, sendMail } from "../../mail/send.ts";
import type { Runtime } from "../../runtime.ts";

/** Pauses between the attempts, in ms. No more: a link in a mail is a secret, and is kept nowhere but here. */
const PAUSES = [1_000, 5_000];

/**
 * Sends a mail with a secret in it, in a few attempts; such mails are in no queue.
 * @returns whether a server took it
 */
export async function mailSoon(
  { log, stopping }: Pick<Runtime, "log" | "stopping">,
  server: MailServer,
  mail: Mail,
  pauses: readonly number[] = PAUSES,
): Promise<boolean> {
  const id = randomUUID();
  for (const pause of [...pauses, undefined]) {
    try {
      await sendMail(server, mail, id, stopping);
      return true;
    } catch (error) {
      const { code, responseCode } = error as { code?: string; responseCode?: number };
      log.warn({ code, responseCode, subject: mail.subject }, "a mail was not taken");
    }
    if (pause === undefined || stopping.aborted) return false;
    await sleep(pause, undefined, { signal: stopping, ref: false }).catch(() => {});
  }
  return false;
}
