// The functions that a condition may call (specs/expressions.md): a closed list, so that nothing enters with the evaluator's next
// version. Left out on purpose: timestamps, durations (time zones differ between machines), messages, extensions.

/** Arguments of the functions that are called by themselves. */
export const FUNCTIONS: ReadonlyMap<string, number> = new Map([
  ['size', 1],
  ['int', 1],
  ['uint', 1],
  ['double', 1],
  ['bool', 1],
  ['string', 1],
  ['bytes', 1],
  ['type', 1],
  ['dyn', 1],
])

/** Numbers of arguments of functions that are called on a value. */
export const METHODS: ReadonlyMap<string, number> = new Map([
  ['size', 0],
  ['contains', 1],
  ['startsWith', 1],
  ['endsWith', 1],
  ['matches', 1],
])

/** Macro syntax. The parser replaces correctly written macros, so any that remains is an error. */
export const MACROS: ReadonlyMap<string, string> = new Map([
  ['has', 'has(map.key)'],
  ['all', 'list.all(name, condition)'],
  ['exists', 'list.exists(name, condition)'],
  ['exists_one', 'list.exists_one(name, condition)'],
  ['existsOne', 'list.existsOne(name, condition)'],
  ['map', 'list.map(name, value)'],
  ['filter', 'list.filter(name, condition)'],
])

/** Names of types, as in `type(args.count) == double`. */
export const TYPE_NAMES: readonly string[] =
  'int uint double bool string bytes list map null_type type'.split(' ')

export const CALLABLE: string = [
  ...new Set([...FUNCTIONS.keys(), ...METHODS.keys(), ...MACROS.keys()]),
].join(', ')
