import { countNotice } from "../../accounts/mail-limits.ts";
import { mailServerOf } from "../../accounts/mail-server.ts";
import { openSecret } from "../../auth/secret.ts";
import { AppError } from "../../errors.ts";
import { type Mail, sendMail } from "../../mail/mail.ts";
import { TargetRefused } from "../../outbound/connector.ts";
import { envelope } from "../../resources/change/envelope.ts";
import { NTFY_ADDRESS, parseNtfyAddress } from "../../resources/notice-rule/ntfy.ts";
import { resolveRecipients } from "../../resources/notice-rule/recipients.ts";
import { openTarget, sealedTo } from "../../resources/notice-rule/rule.ts";
import { failure, type Sender, type Sending } from "../webhooks/attempt.ts";
import { exchange, type Outcome, signedHeaders } from "../webhooks/exchange.ts";
import { type Described, describe, type Message } from "./describe.ts";
import type { Notices } from "./firing.ts";

const JSON_HEADERS = { "Content-Type": "application/json; charset=utf-8", "User-Agent": "Trackway-Notices" };

/** Sends notices by the channel of their rule, their texts looked up anew. @throws the reason of `stop` */
export async function attemptNotice(sender: Sender, sending: Sending): Promise<Outcome> {
  const { runtime } = sender;
  const { delivery, content, target } = sending;
  const { organizationId, targetId: ruleId } = delivery;
  const ids = { organizationId, ruleId, publicUrl: runtime.publicUrl, includeText: target.includeText === true };
  const notices = content.data as unknown as Notices;
  const message = await describe(runtime.db, ids, notices);
  if (target.format === "email") return mail(sender, sending, message);
  const opened = open(sender, sending);
  if (!opened) return failure("the server cannot read the address or the secret; set them again");
  const { url, secret } = opened;
  if (target.format === "slack") return post(sender, url, JSON_HEADERS, { text: slackText(message) });
  if (target.format === "ntfy") {
    const address = parseNtfyAddress(url);
    if (!address) return failure(`its url ${NTFY_ADDRESS}; set it again`);
    const { base, topic } = address;
    const headers = { ...JSON_HEADERS, ...(secret && { Authorization: `Bearer ${secret}` }) };
    return post(sender, base, headers, { topic, title: headlineOf(message), message: linesOf(message) });
  }
  return hook(sender, sending, { url, secret: secret ?? "", message, notices });
}

/** The address and the secret of a rule; undefined when the server's own secret has changed. */
function open({ runtime }: Sender, { delivery, target }: Sending): { url: string; secret: string | null } | undefined {
  const { secret: root, log } = runtime;
  const { targetId: ruleId } = delivery;
  const { targetEncrypted, secretEncrypted } = target;
  try {
    return {
      url: openTarget(root, ruleId, targetEncrypted ?? Buffer.alloc(0)),
      secret: secretEncrypted && openSecret(root, sealedTo(ruleId, "secret"), secretEncrypted),
    };
  } catch (error) {
    log.error({ err: error, ruleId }, "a notice rule's address cannot be read: was JWT_SECRET changed?");
    return undefined;
  }
}

const post = ({ dispatcher, stop }: Sender, url: string, headers: Record<string, string>, body: object) =>
  exchange(dispatcher, url, { headers, body: Buffer.from(JSON.stringify(body)) }, stop);

/** Signed as webhooks of changes are, each notice beside its words. */
function hook(
  sender: Sender,
  { delivery, content, at }: Sending,
  { url, secret, message, notices }: { url: string; secret: string; message: Message; notices: Notices },
): Promise<Outcome> {
  const { organizationId, targetId: webhookId } = delivery;
  const worded = notices.notices.map((notice, at) => ({ ...notice, ...message.notices[at] }));
  const data = { rule: { id: webhookId, name: message.rule }, notices: worded, more: notices.more };
  const enveloped = { ...envelope(organizationId, { ...content, data }), webhookTimestamp: at, webhookId };
  const body = Buffer.from(JSON.stringify(enveloped));
  const headers = signedHeaders({ deliveryId: delivery.id, type: content.type, body, at, secrets: [secret] });
  return exchange(sender.dispatcher, url, { headers, body }, sender.stop);
}

/** The message in one line. */
function headlineOf({ rule, notices, more }: Message): string {
  const [first] = notices;
  const count = notices.length + more;
  return `${rule}: ${count === 1 && first ? first.title : `${count} notices`}`;
}

const linesOf = (message: Message): string => paragraphs(message).map(inLines).join("\n\n");

const inLines = ({ text, link, quote }: Mail["paragraphs"][number]): string =>
  [text, ...(quote ? [quote.replace(/^/gm, "> ")] : []), ...(link ? [link] : [])].join("\n");

const paragraphs = ({ notices, more }: Message): Mail["paragraphs"][number][] => [
  ...notices.map(({ title, url, text }: Described) => ({
    text: title,
    link: url ?? undefined,
    quote: text ?? undefined,
  })),
  ...(more > 0 ? [{ text: `And ${more} more.` }] : []),
];

/** Slack's own escapes: nothing in the text is a link, a mention or a format. */
const slackText = (message: Message): string =>
  [
    headlineOf(message),
    ...(message.notices.length + message.more > 1 || message.notices[0]?.url || message.notices[0]?.text
      ? [linesOf(message)]
      : []),
  ]
    .join("\n\n")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

async function mail({ runtime, stop }: Sender, { delivery, target }: Sending, message: Message): Promise<Outcome> {
  const { organizationId, id } = delivery;
  const server = await mailServerOf(runtime, organizationId).catch(() => null);
  if (server === null) return failure("the server cannot read the password of the mail server; set it again");
  if (!server) return failure("there is no mail server; set one by PATCH /api/mail-server");
  const { to, nobody } = await resolveRecipients(runtime.db, organizationId, target.emails ?? []);
  if (to.length === 0) return failure(nobody);
  const subject = `[Trackway] ${headlineOf(message)}`;
  try {
    await countNotice(runtime, { organizationId, server, to });
    await sendMail(server, { to, subject, paragraphs: paragraphs(message) }, id, stop);
    return { status: MAIL_TAKEN, error: null, retryAfter: null };
  } catch (error) {
    stop.throwIfAborted();
    return mailFailure(error);
  }
}

/** SMTP's reply to a mail that was taken. */
const MAIL_TAKEN = 250;

/** Why a mail was not taken. Nothing of the server's reply is shown but its number. */
function mailFailure(error: unknown): Outcome {
  if (error instanceof TargetRefused) return failure("the mail server is not at a public address");
  if (error instanceof AppError)
    return { status: null, error: error.message, retryAfter: (error.details.retryAfter ?? 0) * 1_000 };
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  if (responseCode)
    return { status: responseCode, error: `the mail server answered ${responseCode}`, retryAfter: null };
  return failure(`the mail server did not take it (${code ?? "unknown"})`);
}
