import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A mail as a server took it. */
export interface TakenMail {
  from: string;
  to: string[];
  /** Headers by their name in lower case, unfolded; one that came twice is a list. */
  headers: Record<string, string>;
  /** Lines of the head, as they came. */
  head: string[];
  raw: string;
  /** The parts of its body, decoded. */
  text: string;
  html: string;
  at: number;
}

/** A mail server on loopback, and what it took. */
export interface MailReceiver {
  host: string;
  port: number;
  mails: TakenMail[];
  /** Replies to the next mails instead of taking them; afterwards it takes them. */
  refusals: number[];
  /** Names and passwords that clients signed in with. */
  logins: { username: string; password: string }[];
  until(done: (mails: TakenMail[]) => boolean): Promise<TakenMail[]>;
  close(): Promise<void>;
}

const open: MailReceiver[] = [];

/** Ends every mail server; an `after` hook of each file that uses them. */
export const closeMailReceivers = async (): Promise<void> => {
  await Promise.all(open.splice(0).map((one) => one.close()));
};

/** Starts a real mail server. A port brings one back that went away. */
export async function startMailReceiver(options: SMTPServerOptions & { port?: number } = {}): Promise<MailReceiver> {
  const mails: TakenMail[] = [];
  const refusals: number[] = [];
  const logins: MailReceiver["logins"] = [];
  const { port = 0, ...rest } = options;
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ["STARTTLS"], allowInsecureAuth: true, disableReverseLookup: true },
    onAuth({ username, password }, _session, callback) {
      logins.push({ username: username ?? "", password: password ?? "" });
      callback(null, { user: username ?? "" });
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const responseCode = refusals.shift();
        if (responseCode) return callback(Object.assign(new Error("not now"), { responseCode }));
        const { mailFrom, rcptTo } = session.envelope;
        const to = rcptTo.map(({ address }) => address);
        mails.push(parsed(Buffer.concat(chunks).toString(), { from: mailFrom ? mailFrom.address : "", to }));
        callback();
      });
    },
    ...rest,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const receiver: MailReceiver = {
    host: "127.0.0.1",
    port: (server.server.address() as AddressInfo).port,
    ...{ mails, refusals, logins },
    async until(done) {
      while (!done(mails)) await new Promise((resume) => setTimeout(resume, 20));
      return mails;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  open.push(receiver);
  return receiver;
}

function parsed(raw: string, envelope: { from: string; to: string[] }): TakenMail {
  const end = raw.indexOf("\r\n\r\n");
  const head = raw.slice(0, end).split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n")) {
    const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    headers[name.toLowerCase()] = decodedWords(value);
  }
  const boundary = /boundary="?([^";]+)"?/.exec(headers["content-type"] ?? "")?.[1];
  const parts = boundary ? raw.slice(end).split(`--${boundary}`) : [];
  const partOf = (type: string) => decodedPart(parts.find((part) => part.includes(`Content-Type: ${type}`)) ?? "");
  return { ...envelope, headers, head, raw, text: partOf("text/plain"), html: partOf("text/html"), at: Date.now() };
}

/** Words of a header as RFC 2047 writes them. */
const decodedWords = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_whole, kind: string, text: string) =>
      kind.toUpperCase() === "B" ? Buffer.from(text, "base64").toString() : fromQuoted(text.replaceAll("_", " ")),
    );

function decodedPart(part: string): string {
  const end = part.indexOf("\r\n\r\n");
  const [head, body] = [part.slice(0, end), part.slice(end + 4)];
  if (/base64/i.test(head)) return Buffer.from(body, "base64").toString();
  return /quoted-printable/i.test(head) ? fromQuoted(body.replace(/=\r\n/g, "")) : body;
}

const fromQuoted = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString();
