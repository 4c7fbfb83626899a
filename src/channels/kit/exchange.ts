import { askHttp, type HttpAnswer } from "../../system/http.ts";

export interface Post {
  /** POST if not given. */
  readonly method?: "PUT";
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ChannelReply extends Pick<HttpAnswer, "status" | "headers"> {
  /** At most the first 64 kB. */
  readonly body: string;
}

const REPLY_LIMIT = 64 * 1024;

/** Posts once and reads the reply. One that breaks off after its status still says what became of the message. */
export async function exchange(
  post: Post,
  abort: AbortSignal,
): Promise<ChannelReply | { readonly failure: string }> {
  const answer = await askHttp({ method: "POST", ...post, most: REPLY_LIMIT, abort });
  return "failure" in answer ? answer : { ...answer, body: answer.body.toString() };
}
