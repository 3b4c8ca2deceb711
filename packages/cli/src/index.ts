export { EXIT, type Io, Unusable } from './io.ts'
export { run } from './run.ts'
