export { EXIT, type Io, Unusable } from './base/io.ts'
export { run } from './run.ts'
