// Runs in browsers too: no Node modules (specs/portable-bundle.md).
export { type OpenedBundle, openPortableBundle, type ShownReading } from './open-bundle.ts'
export { statusSentence } from './status-sentence.ts'
