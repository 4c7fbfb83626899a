import { connect } from "node:tls";
import { SECOND } from "../core/duration.ts";

const UNTRUSTED = new Set([
  ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "CERT_SIGNATURE_FAILURE"],
]);

/** Whether a request failed because nobody vouches for the server's certificate: it is another one, or self-signed. */
export function isUntrusted(failure: string): boolean {
  return UNTRUSTED.has(failure);
}

/** What a host says of its hub then. */
export const OTHER_CERTIFICATE =
  "it shows another certificate than when this host joined. If the hub's certificate was renewed: on the hub run rollcall hosts invite, then run the printed command here";

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
    socket.setTimeout(10 * SECOND, () => fail("it does not answer"));
    socket.once("error", ({ message }) => fail(message));
    socket.once("secureConnect", () => {
      const { raw, fingerprint256 } = socket.getPeerCertificate();
      if (fingerprint256.replaceAll(":", "") !== wanted)
        return fail(
          "it shows another certificate than the address names; make a new invitation on the hub: rollcall hosts invite",
        );
      socket.destroy();
      resolve(
        `-----BEGIN CERTIFICATE-----\n${raw.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
      );
    });
  });
}
