// Context of a command in a separate file: outputs, its surroundings, and the exit code setter.
import type { Io } from './io.ts'
import type { Surroundings } from './surroundings.ts'

export interface CommandContext {
  readonly io: Io
  readonly around: Surroundings
  readonly done: (code: number) => void
}
