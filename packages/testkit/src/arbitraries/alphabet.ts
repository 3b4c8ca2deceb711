// Names must collide to produce interesting cases.
import fc from 'fast-check'

export const TOOLS = ['lint', 'build', 'test', 'deploy', 'read_file', 'write_file'] as const
const HARNESS_TOOLS = [...TOOLS, 'Write'] as const
export const PATHS = [
  ...['a.txt', './a.txt', 'b.txt', 'dir/../b.txt', '../out.txt', 'AGENTS.md'],
] as const
export const PROMPTS = ['any:prompt', 'any:other'] as const
export const CALL_IDS = ['c1', 'c2', 'c3'] as const

/** Custom types of `extendedConfigDocument`, sorted. The sessions of `eventLog` have code for all of them. */
export const CUSTOM_TYPES = ['custom:check', 'custom:policy', 'custom:provider'] as const

export const tool = fc.constantFrom(...TOOLS)
export const harnessTool = fc.constantFrom(...HARNESS_TOOLS)
