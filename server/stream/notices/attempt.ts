import { enforceNoticeMailLimits } from "../../accounts/mail-limits.ts";
import { findEffectiveMailServer } from "../../accounts/mail-server.ts";
import { decryptSecret } from "../../auth/secret.ts";
import { AppError } from "../../errors.ts";
import { type Mail, sendMail } from "../../mail/mail.ts";
import { TargetRefusedError } from "../../outbound/connector.ts";
import { createChangeEnvelope } from "../../resources/change/envelope.ts";
import { NTFY_URL_REQUIREMENT, parseNtfyAddress } from "../../resources/notice-rule/ntfy.ts";
import { resolveRecipients } from "../../resources/notice-rule/recipients.ts";
import { decryptNoticeRuleUrl, formatEncryptionOwner } from "../../resources/notice-rule/rule.ts";
import { type AttemptDependencies, type DeliveryAttemptInput, unsentOutcome } from "../webhooks/attempt.ts";
import { type AttemptOutcome, buildSignedHeaders, postDelivery } from "../webhooks/exchange.ts";
import { buildNoticeMessage, type NoticeDescription, type NoticeMessage } from "./describe.ts";
import type { NoticeBatch } from "./firing.ts";

const JSON_HEADERS = { "Content-Type": "application/json; charset=utf-8", "User-Agent": "Trackway-Notices" };

/**
 * Sends notices through the channel of their rule. Reads titles and names at the time of sending.
 * @throws the reason of `stop`
 */
export async function attemptNoticeDelivery(
  sender: AttemptDependencies,
  sending: DeliveryAttemptInput,
): Promise<AttemptOutcome> {
  const { runtime } = sender;
  const { delivery, content, target } = sending;
  const { organizationId, targetId: ruleId } = delivery;
  const ids = { organizationId, ruleId, publicUrl: runtime.publicUrl, includeText: target.includeText === true };
  const notices = content.data as unknown as NoticeBatch;
  const message = await buildNoticeMessage(runtime.db, ids, notices);
  if (target.format === "email") return mail(sender, sending, message);
  const opened = open(sender, sending);
  if (!opened) return unsentOutcome("the server cannot decrypt the address or the secret; set them again");
  const { url, secret } = opened;
  if (target.format === "slack") return post(sender, url, JSON_HEADERS, { text: slackText(message) });
  if (target.format === "ntfy") {
    const address = parseNtfyAddress(url);
    if (!address) return unsentOutcome(`its url ${NTFY_URL_REQUIREMENT}; set it again`);
    const { base, topic } = address;
    const headers = { ...JSON_HEADERS, ...(secret && { Authorization: `Bearer ${secret}` }) };
    return post(sender, base, headers, { topic, title: headlineOf(message), message: linesOf(message) });
  }
  return hook(sender, sending, { url, secret: secret ?? "", message, notices });
}

/** Decrypts the URL and the secret of a rule. Undefined when the server's own secret has changed. */
function open(
  { runtime }: AttemptDependencies,
  { delivery, target }: DeliveryAttemptInput,
): { url: string; secret: string | null } | undefined {
  const { secret: root, log } = runtime;
  const { targetId: ruleId } = delivery;
  const { targetEncrypted, secretEncrypted } = target;
  try {
    return {
      url: decryptNoticeRuleUrl(root, ruleId, targetEncrypted ?? Buffer.alloc(0)),
      secret: secretEncrypted && decryptSecret(root, formatEncryptionOwner(ruleId, "secret"), secretEncrypted),
    };
  } catch (error) {
    log.error({ err: error, ruleId }, "a notice rule's address cannot be decrypted: was JWT_SECRET changed?");
    return undefined;
  }
}

const post = ({ dispatcher, stop }: AttemptDependencies, url: string, headers: Record<string, string>, body: object) =>
  postDelivery(dispatcher, url, { headers, body: Buffer.from(JSON.stringify(body)) }, stop);

/** Sends a webhook with the same signature as webhooks of changes. Each notice also carries its title, URL and text. */
function hook(
  sender: AttemptDependencies,
  { delivery, content, at }: DeliveryAttemptInput,
  { url, secret, message, notices }: { url: string; secret: string; message: NoticeMessage; notices: NoticeBatch },
): Promise<AttemptOutcome> {
  const { organizationId, targetId: webhookId } = delivery;
  const worded = notices.notices.map((notice, at) => ({ ...notice, ...message.notices[at] }));
  const data = { rule: { id: webhookId, name: message.rule }, notices: worded, more: notices.more };
  const enveloped = { ...createChangeEnvelope(organizationId, { ...content, data }), webhookTimestamp: at, webhookId };
  const body = Buffer.from(JSON.stringify(enveloped));
  const headers = buildSignedHeaders({ deliveryId: delivery.id, type: content.type, body, at, secrets: [secret] });
  return postDelivery(sender.dispatcher, url, { headers, body }, sender.stop);
}

/** A one-line summary of the message. */
function headlineOf({ rule, notices, more }: NoticeMessage): string {
  const [first] = notices;
  const count = notices.length + more;
  return `${rule}: ${count === 1 && first ? first.title : `${count} notices`}`;
}

const linesOf = (message: NoticeMessage): string => paragraphs(message).map(inLines).join("\n\n");

const inLines = ({ text, link, quote }: Mail["paragraphs"][number]): string =>
  [text, ...(quote ? [quote.replace(/^/gm, "> ")] : []), ...(link ? [link] : [])].join("\n");

const paragraphs = ({ notices, more }: NoticeMessage): Mail["paragraphs"][number][] => [
  ...notices.map(({ title, url, text }: NoticeDescription) => ({
    text: title,
    link: url ?? undefined,
    quote: text ?? undefined,
  })),
  ...(more > 0 ? [{ text: `And ${more} more ${more === 1 ? "notice" : "notices"}.` }] : []),
];

/** Escapes Slack's control characters, so that no text becomes a link, a mention or formatting. */
const slackText = (message: NoticeMessage): string =>
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

async function mail(
  { runtime, stop }: AttemptDependencies,
  { delivery, target }: DeliveryAttemptInput,
  message: NoticeMessage,
): Promise<AttemptOutcome> {
  const { organizationId, id } = delivery;
  const server = await findEffectiveMailServer(runtime, organizationId).catch(() => null);
  if (server === null)
    return unsentOutcome("the server cannot decrypt the password of the mail server; set the password again");
  if (!server)
    return unsentOutcome("no mail server is configured; configure a mail server with PATCH /api/mail-server");
  const { to, nobody } = await resolveRecipients(runtime.db, organizationId, target.emails ?? []);
  if (to.length === 0) return unsentOutcome(nobody);
  const subject = `[Trackway] ${headlineOf(message)}`;
  try {
    await enforceNoticeMailLimits(runtime, { organizationId, server, to });
    await sendMail(server, { to, subject, paragraphs: paragraphs(message) }, id, stop);
    return { status: MAIL_TAKEN, error: null, retryAfter: null };
  } catch (error) {
    stop.throwIfAborted();
    return mailFailure(error);
  }
}

/** SMTP reply code of an accepted email. */
const MAIL_TAKEN = 250;

/** Returns the reason why an email was not accepted. Of the mail server's reply, the reason contains only the code. */
function mailFailure(error: unknown): AttemptOutcome {
  if (error instanceof TargetRefusedError) return unsentOutcome("the mail server does not have a public address");
  if (error instanceof AppError)
    return { status: null, error: error.message, retryAfter: (error.details.retryAfter ?? 0) * 1_000 };
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  if (responseCode)
    return { status: responseCode, error: `the mail server responded with ${responseCode}`, retryAfter: null };
  return unsentOutcome(`the mail server did not accept the email (${code ?? "unknown"})`);
}
