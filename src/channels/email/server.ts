import type { SecretReader } from "../../system/secret.ts";
import type { EmailSettings } from "./settings.ts";

/** Which server is spoken to, and as whom. */
export interface Server {
  readonly host: string;
  readonly port: number;
  /** TLS from the start. Otherwise STARTTLS where it is offered, and always before a password is sent. */
  readonly secure: boolean;
  readonly login?: { readonly user: string; readonly pass: string };
  /** Where a wrong password would be mended. */
  readonly place: string;
}

/** The place of what is secret about the server: its whole address, or a password; undefined if nothing is. */
export interface ServerSecrets {
  readonly url: SecretReader | undefined;
  readonly password: SecretReader | undefined;
}

const TLS_PORT = 465;
const PORT = 587;

/** The server as it is set at this moment, or why it is not known. */
export async function serverOf(
  { host = "", port = PORT, user }: EmailSettings,
  { url, password }: ServerSecrets,
): Promise<Server | { readonly problem: string }> {
  if (url !== undefined) {
    const found = await url();
    if ("problem" in found) return found;
    const problem = `${found.place} does not contain an address such as smtps://user:password@host:465`;
    return fromAddress(found.value, found.place) ?? { problem };
  }
  const found = await password?.();
  if (found !== undefined && "problem" in found) return found;
  const login = found === undefined || user === undefined ? undefined : { user, pass: found.value };
  const place = found?.place ?? "user and passwordEnv";
  return { host, port, secure: port === TLS_PORT, place, ...(login && { login }) };
}

function fromAddress(text: string, place: string): Server | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === "") return undefined;
  const secure = url.protocol === "smtps:" || url.port === String(TLS_PORT);
  const port = url.port === "" ? (secure ? TLS_PORT : PORT) : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  try {
    const login = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
    return { host, port, secure, place, ...(login.user === "" ? {} : { login }) };
  } catch {
    return undefined;
  }
}

/** A password stays within this machine, or is encrypted. */
export function isLocal(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
