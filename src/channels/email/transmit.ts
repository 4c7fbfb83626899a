import SMTPConnection, { type SMTPConnectionSendInfo } from "nodemailer/lib/smtp-connection";
import { isLocal, type Server } from "./server.ts";

/** What a server made of a mail: whom it did not take it for, or the code and the words of its refusal or of a failure. */
export type Transmitted =
  | { readonly rejected: readonly string[]; readonly refusal?: string }
  | { readonly code: string; readonly status?: number; readonly response?: string | undefined };

interface Failure {
  readonly code?: string | undefined;
  readonly message?: string;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
}

/** One mail over a connection of its own, which is closed at once when the time is over. */
export function transmit(
  { host, port, secure, login }: Server,
  envelope: { readonly from: string; readonly to: string[] },
  raw: Buffer,
  abort: AbortSignal,
): Promise<Transmitted> {
  if (abort.aborted) return Promise.resolve({ code: "aborted" });
  return new Promise((resolve) => {
    const connection = new SMTPConnection({
      host,
      port,
      secure,
      requireTLS: !secure && login !== undefined && !isLocal(host),
      maxResponseSize: 64 * 1024,
    });
    const done = (result: Transmitted) => {
      abort.removeEventListener("abort", onAbort);
      resolve(result);
      connection.close();
    };
    const fail = ({ code = "error", responseCode: status, response, message }: Failure) =>
      done({ code, response: response ?? message, ...(status === undefined ? {} : { status }) });
    const onAbort = () => done({ code: "aborted" });
    const send = () =>
      connection.send(envelope, raw, (error, info) =>
        info === undefined ? fail(error ?? {}) : done(taken(info)),
      );
    abort.addEventListener("abort", onAbort);
    // Stays until the end: an error without a listener would end the daemon.
    connection.on("error", fail);
    connection.on("end", () => fail({ code: "ECONNECTION" }));
    connection.connect((error) => {
      if (error) return fail(error);
      if (login === undefined) return send();
      return connection.login({ user: login.user, pass: login.pass }, (refused) =>
        refused ? fail(refused) : send(),
      );
    });
  });
}

function taken({ rejected, rejectedErrors }: SMTPConnectionSendInfo): Transmitted {
  const refusal = rejectedErrors?.[0]?.response;
  return { rejected, ...(refusal === undefined ? {} : { refusal }) };
}
