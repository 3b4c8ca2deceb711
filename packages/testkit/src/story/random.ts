// Pseudorandom numbers that are the same for the same seed on every machine.

export interface Dice {
  /** Returns a whole number n, 0 ≤ n < `below`. */
  upTo(below: number): number
  chance(probability: number): boolean
  pick<Thing>(things: readonly [Thing, ...Thing[]]): Thing
}

export function dice(seed: number): Dice {
  let state = seed >>> 0
  const next = (): number => {
    // A Weyl sequence with a mixing step, in 32-bit arithmetic.
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296
  }
  const upTo = (below: number): number => Math.floor(next() * below)
  return {
    upTo,
    chance: (probability) => next() < probability,
    pick: (things) => things[upTo(things.length)] ?? things[0],
  }
}
