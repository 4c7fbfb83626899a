import { expect, test } from "vitest";
import { proxyFor } from "./proxy.ts";

const HTTP_PROXY = "http://proxy:3128";

test.each<[string, string, NodeJS.ProcessEnv, string | undefined]>([
  ["none where none is named", "http://a.example/", {}, undefined],
  ["its own for each protocol", "https://a.example/", { HTTP_PROXY }, undefined],
  ["the one for http", "http://a.example/", { HTTP_PROXY }, "http://proxy:3128/"],
  ["the one for https", "https://a.example/", { HTTPS_PROXY: HTTP_PROXY }, "http://proxy:3128/"],
  [
    "the one in small letters first",
    "http://a.example/",
    { HTTP_PROXY, http_proxy: "http://b:1" },
    "http://b:1/",
  ],
  ["one without a protocol", "http://a.example/", { http_proxy: "proxy:3128" }, "http://proxy:3128/"],
  ["none for this machine", "http://127.0.0.1:7766/", { HTTP_PROXY }, undefined],
  ["none for this machine by name", "http://localhost/", { HTTP_PROXY }, undefined],
  ["none for this machine by IPv6", "http://[::1]/", { HTTP_PROXY }, undefined],
  ["one for a name that only looks like it", "http://127.example/", { HTTP_PROXY }, "http://proxy:3128/"],
  [
    "none for what is exempt",
    "http://a.example/",
    { HTTP_PROXY, NO_PROXY: "b.example, a.example" },
    undefined,
  ],
  ["none below what is exempt", "http://x.a.example/", { HTTP_PROXY, no_proxy: ".a.example" }, undefined],
  [
    "one for another that ends alike",
    "http://xa.example/",
    { HTTP_PROXY, NO_PROXY: "a.example" },
    "http://proxy:3128/",
  ],
  ["none where all are exempt", "http://a.example/", { HTTP_PROXY, NO_PROXY: "*" }, undefined],
  ["none at an exempt port", "http://a.example:81/", { HTTP_PROXY, NO_PROXY: "a.example:81" }, undefined],
  [
    "one at another port",
    "http://a.example/",
    { HTTP_PROXY, NO_PROXY: "a.example:81" },
    "http://proxy:3128/",
  ],
  ["none in an exempt network", "http://10.1.2.3/", { HTTP_PROXY, NO_PROXY: "10.0.0.0/8" }, undefined],
  ["one outside of it", "http://11.1.2.3/", { HTTP_PROXY, NO_PROXY: "10.0.0.0/8" }, "http://proxy:3128/"],
])("%s", (_, url, env, proxy) => {
  expect(proxyFor(new URL(url), env)?.href).toBe(proxy);
});
