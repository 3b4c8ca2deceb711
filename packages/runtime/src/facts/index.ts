export {
  confinedPath,
  contentFingerprint,
  fileFactAt,
  isMissing,
  UNKNOWN_FILE,
} from './confined-file.ts'
export { DEFAULT_ANSWER_MS, FactFinder } from './fact-finder.ts'
export { redactor } from './redact.ts'
