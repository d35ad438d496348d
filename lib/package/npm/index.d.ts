/** A message, a step or an answer: numbers arrive as text, and leave as text, number or bigint. */
export type Fields = Record<string, any>;
/** Called once per step; returns the answer. */
export type Instance = (step: Fields) => Fields | Promise<Fields>;
/** Called once per fresh instance, with the steps that it will answer. */
export type Port = (params: Fields, steps: Fields[]) => Instance | Promise<Instance>;
/** What a port says of itself; each has a default. */
export interface About {
  port?: { name?: string; version?: string; language?: string };
  systems?: string[];
  draws?: 'injected' | 'opaque';
  draw_kind?: 'u32' | 'rand' | 'unit';
  rand_max?: number | string;
  mapping?: string;
  max_batch?: number;
  max_line?: number;
  ranges?: Fields;
  features?: string[];
}
/** A further word of `backoff-oracle check`, or what a port that is a function says of itself. */
export type Option = string | number | About;

/** Refuses the parameters. */
export class Rejected extends Error {}
/** Where the program is. */
export const program: string;
/**
 * Resolves with the verdict, or rejects with an AssertionError of the same text. The verdict is text; its type lets a test return
 * the promise. The port is a function, a file of JavaScript that calls `serve`, or the words of a command; the system is a name or
 * the file of a policy.
 */
export function check(system: string, port: Port | string | string[], ...options: Option[]): Promise<any>;
/** Judges one history again, by the token that a verdict names. */
export function replay(token: string, port: Port | string | string[], ...options: Option[]): Promise<any>;
/** Answers the oracle until it says stop. */
export function serve(port: Port, about?: About): Promise<void>;
