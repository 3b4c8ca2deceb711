/** Tools that are looked at: one bit each of a 32-bit word. */
export const MOST_TOOLS = 32

/** Index of stops, behind those of tools. */
export const STOP_INDEX = 32

/** Names that a rule can use. */
const NAMEABLE = /^[a-z0-9_-]{1,64}$/

/** Tools to look at: the busiest that a rule can name. `calls`: by canonical name. */
export function chooseTools(calls: ReadonlyMap<string, number>): readonly string[] {
  return [...calls]
    .filter(([name]) => NAMEABLE.test(name))
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, MOST_TOOLS)
    .map(([name]) => name)
}

/** Numbers tools in the order in which they are met. */
export class ToolTable {
  readonly names: string[] = []
  readonly #known = new Map<string, number>()
  readonly #chosen: ReadonlySet<string> | null
  readonly #aliases: ReadonlyMap<string, string>

  constructor(chosen: readonly string[] | null, aliases: { readonly [name: string]: string }) {
    this.#chosen = chosen === null ? null : new Set(chosen)
    this.#aliases = new Map(Object.entries(aliases))
  }

  canonical(name: string): string {
    return this.#aliases.get(name) ?? name
  }

  /** Index of a canonical name; -1: the tool is not looked at. */
  find(name: string): number {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const isWanted = this.#chosen === null ? NAMEABLE.test(name) : this.#chosen.has(name)
    const index = isWanted && this.names.length < MOST_TOOLS ? this.names.length : -1
    if (index >= 0) this.names.push(name)
    this.#known.set(name, index)
    return index
  }
}

/** Calls `visit` for each index whose bit is set. */
export function eachBit(bits: number, visit: (index: number) => void): void {
  for (let left = bits; left !== 0; left &= left - 1) visit(31 - Math.clz32(left & -left))
}
