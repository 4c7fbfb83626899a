import { readAddress } from "../../../src/web/pings/address.ts";
import { excerptOf } from "../../../src/web/pings/body.ts";
import { must, stateless, type Target } from "../target.ts";

/** The address of a ping in the first line, its body in the rest. */
export const pings: Target = {
  name: "pings",
  examples: [
    "/ping/0192f0c1-7c3b-7def-8abc-0123456789ab",
    "/ping/0192f0c1-7c3b-7def-8abc-0123456789ab/start?rid=0192f0c1-7c3b-7def-8abc-0123456789ab",
    "/ping/some-key-of-a-project/nightly-backup/fail?create=1\nIt failed: no space left on the disk.",
    "/ping/some-key-of-a-project/nightly-backup/255",
  ],
  words: ["/ping/", "/start", "/fail", "/log", "?rid=", "&create=1", "//", "?", "%2f", "/256", "/-1", "\n"],
  open: stateless((input) => {
    const cut = input.indexOf(10);
    const [address, body] =
      cut < 0 ? [input, new Uint8Array()] : [input.subarray(0, cut), input.subarray(cut + 1)];
    const read = readAddress(Buffer.from(address).toString("latin1"));
    if (!("problem" in read) && read.exitCode !== undefined)
      must(read.exitCode >= 0 && read.exitCode <= 255, "an exit code is one byte");
    const excerpt = excerptOf(Buffer.from(body));
    must(
      excerpt === undefined || (excerpt.length <= 500 && excerpt.isWellFormed()),
      "an excerpt is short text",
    );
  }),
};
