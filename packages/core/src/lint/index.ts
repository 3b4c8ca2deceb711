// `@signalbox/core/lint`: the problems of a config document, errors and advice. compileConfig alone gives the errors.
export { lintConfig } from './lint-config.ts'
