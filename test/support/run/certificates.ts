import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Self-signed certificate, and the path of the certificate's file. */
export interface Certificate {
  key: Buffer;
  cert: Buffer;
  path: string;
}

/** Creates a self-signed certificate for a host. With negative `days` the certificate is expired. */
export function createSelfSignedCertificate(name = "IP:127.0.0.1,DNS:localhost", days = 2): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "trackway-certificate-"));
  const [key, path] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const made = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=trackway -addext subjectAltName=${name}`;
  execFileSync("openssl", [...made.split(" "), "-days", String(days), "-keyout", key, "-out", path], {
    stdio: "ignore",
  });
  return { key: readFileSync(key), cert: readFileSync(path), path };
}
