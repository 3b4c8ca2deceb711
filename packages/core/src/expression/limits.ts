// Decisions depend on these limits: a smaller one could refuse today what was allowed yesterday, so they are constants, not options.

/** Length of a source in UTF-16 units. */
export const MAX_SOURCE_LENGTH = 4000

/** Depth of nested brackets. The parser recurses, and about 460 levels would overflow a default stack. */
export const MAX_BRACKETS = 64

/** Levels of the syntax tree, and of a JSON value that is compared as a whole. */
export const MAX_DEPTH = 128

export const MAX_NODES = 1000

/** Instructions of one compiled pattern. Repetitions are expanded, so `(a{30}){30}` has about 900. */
export const MAX_PATTERN_SIZE = 1000

/** Units of work in one evaluation. One unit is about one evaluated node, or 16 characters compared or copied. */
export const MAX_COST = 1_000_000

export const TEXT_PER_UNIT = 16
