// What posenc.mjs exports. Arrays are row-major; the C++ headers document the shapes of each function.
export type Numbers = Float32Array | Float64Array;
export type NumbersType = Float32ArrayConstructor | Float64ArrayConstructor;
/** The position of the first token, the others following it; or one for each token. */
export type Positions = number | number[] | Float64Array | Int32Array;
/** A scheme's options, as `posenc list SCHEME` and the documentation name them: {dim: 128, layout: "half"}. */
export type Options = Record<string, unknown>;

/** The library. wasm: its bytes, or the location of posenc.wasm if it is not next to posenc.mjs. */
export function load(wasm?: URL | string | ArrayBuffer | ArrayBufferView): Promise<Library>;

export interface Library {
  readonly version: string;
  schemes(): { name: string; about: string; family: string; options: { name: string; help: string }[] }[];
  describe(scheme: string, options?: Options): { name: string; family: string; weights: { name: string; shape: number[] }[] };
  /** length: tokens of the text, for length rules that need it; keep: the number of positions whose rows are computed now and cached. */
  plan(
    scheme: string,
    options?: Options,
    more?: { length?: number; keep?: number; weights?: { data: Numbers; shape: number[] }[] },
  ): Plan;
}

export interface Plan {
  readonly info: { name: string; family: string; dim?: number; axes?: number; heads?: number; softmax_factor?: number };
  /** [rows, dim] of an absolute scheme; cosines and sines of a rotary one. */
  table(rows: number, more?: { positions?: Positions; type?: NumbersType }): Numbers;
  /** x [..., tokens, dim] plus the rows of an absolute scheme. */
  add<T extends Numbers>(x: T, shape: number[], more?: { positions?: Positions }): T;
  /** Queries or keys x [batch, tokens, heads, dim], rotated; or back, with inverse. */
  rotate<T extends Numbers>(x: T, shape: number[], more?: { positions?: Positions; inverse?: boolean }): T;
  /** [heads, queries, keys]: what a bias adds to the scores. */
  bias(
    queries: number,
    keys: number,
    more?: { query_positions?: Positions; key_positions?: Positions; causal?: boolean; type?: NumbersType },
  ): Numbers;
  /** Frees its memory. */
  free(): void;
}
