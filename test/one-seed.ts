import fc from "fast-check";

/** Properties are tried with the same values each time, so that a run says something about a change; SEED=n tries others. */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });
