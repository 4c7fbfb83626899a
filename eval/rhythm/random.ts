// Random numbers that depend on nothing but their seed, so that every figure can be repeated.

export type Random = {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
  /** exp of a normal, given by its median and the standard deviation of its logarithm. */
  logNormal(median: number, sigma: number): number;
  /** P(X > x) = (least / x)^exponent. */
  pareto(least: number, exponent: number): number;
  exponential(mean: number): number;
};

/** Mulberry32: 32 bits of state, quick, and far better than this simulation needs. */
function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `stream` keeps the agents' worlds apart: one agent more does not change the others. */
export function random(seed: number, stream: number): Random {
  const uniform = mulberry(Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b));
  const positive = () => 1 - uniform();
  const normal = () => Math.sqrt(-2 * Math.log(positive())) * Math.cos(2 * Math.PI * uniform());
  return {
    uniform,
    normal,
    logNormal: (median, sigma) => median * Math.exp(sigma * normal()),
    pareto: (least, exponent) => least * positive() ** (-1 / exponent),
    exponential: (mean) => -mean * Math.log(positive()),
  };
}
