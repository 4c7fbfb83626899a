import { X509Certificate } from "node:crypto";
import { networkInterfaces } from "node:os";
import { resolve } from "node:path";
import { expandTilde } from "../agent/home.ts";
import type { Address } from "../config/listen.ts";
import type { Config } from "../config/load.ts";
import { DaemonError } from "../home/daemon-error.ts";
import { readNamedFile } from "../system/files.ts";

const LARGEST_PEM = 1 << 20;

/** A certificate or a key. Whoever names a file that cannot be read is told which. */
function readPem(path: string): string {
  const file = resolve(expandTilde(path));
  try {
    return readNamedFile(file, LARGEST_PEM).toString("utf8");
  } catch (error) {
    throw new DaemonError("not-started", `tls: ${file} cannot be read: ${(error as Error).message}`);
  }
}

/** The certificate and key of the config, if it names them. */
export function tlsOf({
  tls,
}: Pick<Config, "tls">): { readonly cert: string; readonly key: string } | undefined {
  return tls && { cert: readPem(tls.cert), key: readPem(tls.key) };
}

/** Where hosts reach a hub. A certificate that nobody else vouches for is named by its fingerprint, so that hosts can tell it. */
export function hubUrl(named: string | undefined, own: string, certificate: string | undefined): string {
  const url = named ?? (certificate === undefined ? own : own.replace(/^http:/, "https:"));
  if (certificate === undefined) return url;
  const { issuer, subject, fingerprint256 } = new X509Certificate(certificate);
  return issuer === subject ? `${url}#sha256=${fingerprint256.replaceAll(":", "").toLowerCase()}` : url;
}

/** Where other hubs reach one that listens here: at its own address, not through what stands in front of it. */
export function ownAddress({ host }: Address, url: string, hasTls: boolean): string {
  const own = new URL(url);
  if (host === "0.0.0.0" || host === "::") own.hostname = outerAddress() ?? own.hostname;
  // This machine is answered without TLS too; who asks from elsewhere is not.
  return `${hasTls ? "https:" : "http:"}//${own.host}`;
}

function outerAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.find(({ internal, family }) => !internal && family === "IPv4")?.address;
}
