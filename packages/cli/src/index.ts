// The command line as a function, for tests and other programs.
export { EXIT, type Io, Unusable } from './io.ts'
export { run } from './run.ts'
