// The bounds of a CEL condition (specs/expressions.md). They are part of a decision's meaning: a smaller one could refuse
// today what was allowed yesterday, so they are constants and not options.

/** UTF-16 units of a source. */
export const MAX_SOURCE_LENGTH = 4000

/** Brackets within brackets. The parser recurses; some 460 levels would overflow a default stack. */
export const MAX_BRACKETS = 64

/** Levels of the syntax tree, and of a JSON value that is compared as a whole. */
export const MAX_DEPTH = 128

/** Nodes of the syntax tree. */
export const MAX_NODES = 1000

/** Instructions of one compiled pattern: repeats are written out, so `(a{30}){30}` has some 900. */
export const MAX_PATTERN_SIZE = 1000

/** Units of work in one evaluation; one is about a node evaluated, 16 characters compared or copied. */
export const MAX_COST = 1_000_000

/** Characters that one unit compares, copies or searches. */
export const TEXT_PER_UNIT = 16
