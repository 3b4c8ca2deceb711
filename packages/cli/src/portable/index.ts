// `@signalbox/cli/portable`: opens a portable bundle without a server (specs/portable-bundle.md). Runs in browsers too: no Node modules.
export { type OpenedBundle, openPortableBundle, type ShownReading } from './open-bundle.ts'
export { statusSentence } from './status-sentence.ts'
