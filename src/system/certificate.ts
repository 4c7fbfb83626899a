import { connect } from "node:tls";
import { SECOND } from "../core/duration.ts";

/** The certificate that a server shows, as PEM, if it has this fingerprint: whoever pins it has it from a person. */
export function certificateOf(address: string, fingerprint: string): Promise<string> {
  const { hostname, port } = new URL(address);
  const wanted = fingerprint.replaceAll(":", "").toUpperCase();
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || 443),
      rejectUnauthorized: false,
    });
    const fail = (why: string) => {
      socket.destroy();
      reject(new Error(`${address}: ${why}`));
    };
    socket.setTimeout(10 * SECOND, () => fail("does not answer"));
    socket.once("error", ({ message }) => fail(message));
    socket.once("secureConnect", () => {
      const { raw, fingerprint256 } = socket.getPeerCertificate();
      if (fingerprint256.replaceAll(":", "") !== wanted)
        return fail("shows another certificate than the invitation names");
      socket.destroy();
      resolve(
        `-----BEGIN CERTIFICATE-----\n${raw.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
      );
    });
  });
}
